/* Pages with a slider (the laboratory's): elements of class "at" with data-at equal to its value are shown, markers move
 * along. Cursor keys move it; #N in the address starts there. */
(function() {
const slider = document.getElementById("slider");
if (!slider) return;
const shown = document.getElementById("value");
function show() {
    shown.textContent = slider.value;
    document.querySelectorAll(".at").forEach((e) => e.classList.toggle("on", e.dataset.at === slider.value));
    document.querySelectorAll(".m").forEach((e) => {
        const x = +e.dataset.x0 + (slider.value - slider.min) * e.dataset.dx, box = e.closest(".scroll");
        e.setAttribute("x", x);
        if (box && (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth - 40)) box.scrollLeft = x - box.clientWidth / 2;
    });
}
function move(d) {
    slider.value = +slider.value + d;
    show();
}
slider.addEventListener("input", show);
document.getElementById("back").addEventListener("click", () => move(-1));
document.getElementById("next").addEventListener("click", () => move(1));
document.addEventListener("keydown", (ev) => {
    if (ev.target === slider) return;
    if (ev.key === "ArrowLeft") move(-1);
    if (ev.key === "ArrowRight") move(1);
});
if (+location.hash.slice(1)) slider.value = +location.hash.slice(1);
show();
})();
