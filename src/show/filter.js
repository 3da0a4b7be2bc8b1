"use strict";
{
  const box = document.getElementById("jelly-filter");
  const subjects = [...document.querySelectorAll(".jelly-subject")].map((one) => [one, one.textContent.toLowerCase()]);
  box.hidden = false;
  box.addEventListener("input", () => {
    const wanted = box.value.toLowerCase();
    for (const [one, text] of subjects) one.hidden = !text.includes(wanted);
    for (const fold of document.querySelectorAll(".jelly-class")) {
      fold.hidden = !fold.querySelector(".jelly-subject:not([hidden])");
    }
  });
}
