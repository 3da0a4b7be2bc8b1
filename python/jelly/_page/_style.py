"""The style sheet of the pages."""

STYLE = """\
:root { color-scheme: light dark; --ink: #1c2128; --soft: #59636e; --line: #d8dee4; --back: #fff; --band: #f6f8fa; --add: #116329; --add-back: #e6f6ea; --del: #a40e26; --del-back: #fdebec; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --line: #343b43; --back: #0f1318; --band: #171c22; --add: #57d27a; --add-back: #12261a; --del: #ff8e96; --del-back: #2d1518; --link: #7db5ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
nav { display: flex; flex-wrap: wrap; gap: .35rem 1.1rem; margin: .5rem 0; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; margin: 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.add { color: var(--add); } .del { color: var(--del); } .soft { color: var(--soft); }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
svg.bars { display: block; width: 100%; height: 9rem; margin: .5rem 0 0; background: var(--band); border: 1px solid var(--line); border-radius: 6px; }
.bars .up { fill: var(--add); } .bars .down { fill: var(--del); } .bars .size { fill: var(--soft); } .bars line { stroke: var(--soft); stroke-width: .5; }
svg.share { height: .7rem; min-width: 6rem; margin: .4rem 0 0; border: 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; align-items: start; }
summary { cursor: pointer; padding: .3rem 0; font-weight: 600; } summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
[hidden] { display: none !important; }
section { content-visibility: auto; contain-intrinsic-size: auto 40rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; color: var(--soft); padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; }
td:nth-child(2) { white-space: nowrap; }
code, .rows { font: .86rem/1.55 ui-monospace, "DejaVu Sans Mono", monospace; }
.rows { border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.rows section { padding: .5rem .75rem; border-bottom: 1px solid var(--line); }
.rows section:last-child { border-bottom: 0; }
.rows h3 { font: inherit; font-weight: 700; margin: 0 0 .2rem; overflow-wrap: anywhere; }
.rows p { margin: 0; padding: 0 .5rem 0 2.2rem; text-indent: -1.7rem; overflow-wrap: anywhere; border-radius: 3px; }
.rows p.add { background: var(--add-back); } .rows p.del { background: var(--del-back); }
.rows a { color: inherit; text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
.sign { display: inline-block; width: 1.7rem; text-indent: 0; font-weight: 700; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .5rem 0; }
label { display: flex; flex-direction: column; font-size: .85rem; color: var(--soft); }
input { font-size: 1rem; }
label.wide { flex: 1 1 20rem; }
input, button { font: inherit; color: var(--ink); background: var(--back); border: 1px solid var(--soft); border-radius: 6px; padding: .35rem .6rem; min-width: 0; }
button { background: var(--band); cursor: pointer; }
@media (max-width: 44rem) {
  .facts { grid-template-columns: 1fr; } .facts dd { margin-bottom: .4rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td, td:nth-child(2) { display: grid; grid-template-columns: 6.5rem 1fr; gap: .5rem; border: 0; padding: .1rem 0; white-space: normal; }
  td::before { content: attr(data-label); color: var(--soft); }
  td:empty { display: none; }
}
"""
