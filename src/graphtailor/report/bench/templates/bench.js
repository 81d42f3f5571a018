"use strict";
const choose = (choice) => {
  document.body.dataset.choice = choice;
  for (const button of document.querySelectorAll(".switch button"))
    button.setAttribute("aria-pressed", button.dataset.choice === choice);
};
for (const button of document.querySelectorAll(".switch button"))
  button.addEventListener("click", () => choose(button.dataset.choice));
const first = document.querySelector(".switch button");
if (first) choose(first.dataset.choice);

{% include "sort.js" %}

for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => {
    const text = button.parentElement.querySelector("pre");
    const told = () => { button.textContent = "Copied"; };
    const select = () => getSelection().selectAllChildren(text);
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(told, select);
    else { select(); if (document.execCommand("copy")) told(); }
  });
