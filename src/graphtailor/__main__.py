"""``python -m graphtailor`` is the command line."""

from graphtailor.cli import main

if __name__ == "__main__":
    main()
