"""The code of the pages about other packages runs."""

import re
from pathlib import Path

import pytest

REASON = "NOT CHECKED with {}: `make test-integrations` installs it"
DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("page", "package"),
    [("scanpy", "scanpy"), ("bertopic", "bertopic"), ("other-libraries", "networkx")],
)
def test_code_of_a_page_runs(page, package, capsys):
    pytest.importorskip(package, reason=REASON.format(package))
    code = "\n".join(CODE.findall((DOCS / f"{page}.md").read_text()))
    exec(compile(code, page, "exec"), {})
    assert capsys.readouterr().out
