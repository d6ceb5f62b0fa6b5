/* --- the page: a head that says which run and kernel are shown, and the sections. */

const page = {
    data: null,
    run: null,
    kernel: null,
    sections: null,
    errors: []
};

/* A part that cannot be drawn says so and leaves the others alone */
function part_of(make, ...args) {
    try {
        return make(...args);
    } catch (e) {
        page.errors.push(String(e));
        return el("section", {class: "card wide failed"}, el("p", {}, "This part could not be drawn: " + e.message));
    }
}

function subject() { return page.kernel || page.run; }

function header() {
    const runs = page.data.runs, run = page.run;
    const pickRun = runs.length > 1
                        ? el("label", {}, "Run ",
                             el("select", {id: "pick-run", change: (ev) => show(runs[ev.target.value])},
                                runs.map((r, i) => el("option", {value: i, selected: r === run},
                                                      (r.name === labelOf(r) ? "" : r.name + " \u00b7 ") + labelOf(r)))))
                        : null;
    const kernels = run.kernels.filter((k) => isNumber(k.cycles));
    const pickKernel = kernels.length
                           ? el("label", {}, "Kernel ",
                                el("select", {id: "pick-kernel", change: (ev) => show(run, ev.target.value)},
                                   el("option", {value: ""}, "the whole run"),
                                   kernels.map((k) => el("option", {value: k.name, selected: page.kernel === k}, k.name))))
                           : null;
    return el("div", {class: "picks"}, pickRun, pickKernel);
}

function about(run) {
    const words = [run.mode === "functional" ? "without timing" : run.machine, "heddle " + (run.version || page.data.version)];
    if (isNumber(run.wall_seconds)) words.push("simulated in " + short(run.wall_seconds, "s"));
    if (run.state_hash) words.push("state " + run.state_hash);
    return words.filter(Boolean).join(" \u00b7 ");
}

function verdicts(run) {
    const list = [];
    if (run.error)
        list.push(
            el("div", {class: "banner bad", role: "alert"}, el("b", {}, "This run did not end. "), el("pre", {}, run.error)));
    else if (run.finished === false)
        list.push(el("div", {class: "banner bad", role: "alert"},
                     "This run was stopped before its end: the numbers cover what was finished."));
    if (run.checksum_ok === false)
        list.push(el("div", {class: "banner bad", role: "alert"}, "The output is not the expected one."));
    if (run.remark) list.push(el("div", {class: "banner"}, run.remark));
    if (run.complete === false && !run.error)
        list.push(el("div", {class: "banner"}, "Not everything was timed: some blocks or launches ran without timing."));
    return list;
}

function overviewSection(run, of) {
    const timed = isNumber(of.cycles) && of.cycles > 0 && of.counters;
    const machine = timed && run.config && run.roofs; /* results of older versions have none */
    const charts = machine ? [roofline, occupancyChart, utilisationChart].map((f) => part_of(f, run, of)) : [];
    const own = timed ? [warpStates, cacheChart, dramChart].map((f) => part_of(f, of)) : [];
    const rest = timed ? [
        part_of(energyChart, run, of), machine ? part_of(hazardChart, run, of) : null, part_of(laneChart, of),
        part_of(occupiedChart, of), part_of(schedulerChart, of)
    ]
                       : [];
    return el("section", {id: "overview"}, el("h2", {}, "Overview" + (page.kernel ? ": " + of.name : "")), ...verdicts(run),
              timed ? part_of(tiles, run, of)
                    : el("p", {class: "about"},
                         of.not_timed ? "There are no cycles: " + of.not_timed + "."
                                      : "This run has no timing: leave out --functional for cycles and what limits them."),
              el("div", {class: "cards"}, timed ? part_of(limits, run, (name) => show(run, name)) : null,
                 timed ? part_of(cpiStacks, of) : null, ...charts, ...own, ...rest, part_of(mixChart, of),
                 machine ? part_of(memoryChart, run, of) : null));
}

function numbersSection(run, of) {
    const timed = of.counters;
    return el("section", {id: "tables"}, el("h2", {}, "Tables"),
              el("div", {class: "cards"}, part_of(launchTable, run), timed ? part_of(numbersTable, of) : null,
                 part_of(machineTable, run)));
}

/* The sections of one run; others add theirs */
const sectionMakers = [
    ["Overview", overviewSection], ["Source", sourceSection], ["Time", timeSection], ["Pipeline", pipelineSection],
    ["Tables", numbersSection]
];

function show(run, kernel) {
    page.run = run;
    page.kernel = kernel ? run.kernels.find((k) => k.name === kernel) || null : null;
    const of = subject(), made = sectionMakers.map(([title, make]) => [title, part_of(make, run, of)]).filter(([, s]) => s);
    page.sections.replaceChildren(...made.map(([, s]) => s));
    document.getElementById("about").textContent = about(run);
    document.getElementById("picks").replaceChildren(header());
    navigation([
        ...(page.data.study ? [["Study", document.getElementById("study")]] : []),
        ...(page.data.runs.length > 1 ? [["Comparison", document.getElementById("compare")]] : []), ...made
    ]);
    figures.filter((f) => f.isConnected && page.sections.contains(f)).forEach((f) => part_of(f.paint));
    const source = document.getElementById("source");
    if (source) part_of(source.after);
    for (let i = figures.length - 1; i >= 0; i--)
        if (!figures[i].isConnected) figures.splice(i, 1);
}

function navigation(sections) {
    document.getElementById("nav").replaceChildren(...sections.map(([title, s]) => el("a", {href: "#" + s.id}, title)));
}

function theme() {
    const now = document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

async function start() {
    const main = document.getElementById("page");
    page.data = await unpack(document.getElementById("data").textContent);
    learn(page.data.tables);
    const runs = page.data.runs = page.data.runs.map(sound);
    page.sections = el("div", {id: "sections"});
    main.replaceChildren(
        el("header", {},
           el("div", {class: "bar"}, el("h1", {}, page.data.title), el("nav", {id: "nav", "aria-label": "Sections"}),
              el("span", {id: "picks"}),
              el("button", {type: "button", id: "theme", click: theme, "aria-label": "Light or dark"}, "\u25d0"))),
        el("p", {id: "about", class: "about"}), ...page.data.notes.map((n) => el("div", {class: "banner"}, n)));
    if (page.data.study) main.append(part_of(studySection, page.data.study));
    if (runs.length > 1) {
        main.append(part_of(compareSection, runs, (run) => {
            show(run);
            page.sections.scrollIntoView();
        }));
    }
    main.append(page.sections);
    if (runs.length) show(runs[0]);
    figures.filter((f) => f.isConnected && !page.sections.contains(f)).forEach((f) => part_of(f.paint));
    document.documentElement.dataset.ready = page.errors.length ? "failed" : "yes";
}

start().catch((e) => {
    document.getElementById("page").replaceChildren(
        el("p", {class: "banner bad", role: "alert"}, "This page could not be read: " + e.message));
    document.documentElement.dataset.ready = "failed";
});
