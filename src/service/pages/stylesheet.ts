export const style = `
:root {
  color-scheme: light dark;
  --paper: #faf9f7; --card: #fff; --ink: #22201d; --soft: #5f5951; --line: #e0dad0; --field: #8a8377; --accent: #2f49b5;
  --good: #17693a; --bad: #a8211a; --plus: #e3f5e8; --minus: #fdeae8; --tint: #f3f0ea;
  --keyword: #7d22a3; --string: #1b6135; --number: #8a4310; --comment: #675f55; --call: #22519c; --type: #0b5f69;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e7e5e1; --soft: #a8adb7; --line: #323842; --field: #7b8290; --accent: #9db1ff;
    --good: #76d69b; --bad: #ff9a91; --plus: #17311f; --minus: #3a1d1c; --tint: #23272f;
    --keyword: #d5a6f3; --string: #95d7a7; --number: #edb98a; --comment: #a3a8b2; --call: #97beff; --type: #7bd3dd;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); }
header, main { margin: 0 auto; max-width: 84rem; padding: 0 1.25rem; }
header { padding-top: 1rem; display: flex; flex-wrap: wrap; gap: .5rem 1.4rem; align-items: center; }
main { padding-bottom: 4rem; }
a { color: var(--accent); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: .3em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip, .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: static; width: auto; height: auto; clip-path: none; display: inline-block; padding: .4rem 1.25rem; }
.said { position: fixed; right: 1rem; bottom: 1rem; margin: 0; padding: .5rem .9rem; border-radius: .4rem;
  background: var(--ink); color: var(--paper); }
.said:empty { padding: 0; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; }
header nav { margin-right: auto; }
header nav a, .brand { display: inline-block; padding: .25rem 0; }
[aria-current] { color: var(--ink); font-weight: 600; }
.search, .who, .fields { display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; margin: 0; }
.search input { width: 13rem; }
.who { color: var(--soft); font-size: .92rem; overflow-wrap: anywhere; margin-left: auto; }
form { margin: 0; }
button, input { font: inherit; color: inherit; padding: .3rem .8rem; border: 1px solid var(--field); border-radius: .4rem; background: var(--card); }
input { min-width: 0; max-width: 100%; }
::placeholder { color: var(--soft); opacity: 1; }
button { cursor: pointer; }
.fields input { width: 26rem; }
.brand { color: var(--ink); font-weight: 700; font-size: 1.1rem; letter-spacing: -.02em; text-decoration: none; }
.brand::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .45em; border-radius: .2em;
  background: linear-gradient(135deg, var(--accent), var(--keyword)); }
h1 { margin: 1.4rem 0 .3rem; font-size: 1.8rem; line-height: 1.2; letter-spacing: -.02em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1rem; }
p { margin: .5rem 0; }
.meta { color: var(--soft); display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; font-size: .92rem; }
code, pre, .id { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { overflow-wrap: anywhere; }
.id { font-size: .85rem; overflow-wrap: anywhere; }
.badge { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .85rem; background: var(--tint); color: var(--soft); }
.badge.public { color: var(--good); }
.badge.unlisted { color: var(--number); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; margin-top: 1rem; overflow: hidden; }
.bar { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: baseline; padding: .5rem .95rem;
  border-bottom: 1px solid var(--line); background: var(--tint); }
.bar h2 { margin-right: auto; }
.bar span, .bar a, .bar form { font-size: .9rem; }
.bar span { color: var(--soft); }
.bar button, .bar input { padding: 0 .6rem; }
.tools { display: flex; gap: .8rem; align-items: baseline; }
.compare input { width: 6rem; }
ul { margin: 0; }
.card > ul { list-style: none; padding: 0; }
.card > ul > li { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; padding: .6rem .95rem; }
.card > ul > li + li { border-top: 1px solid var(--line); }
.name { font-weight: 600; overflow-wrap: anywhere; }
.vals .name { font-size: 1.05rem; }
.vals .meta { margin-left: auto; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.none { color: var(--soft); }
.why { flex-basis: 100%; margin: 0; color: var(--bad); font-size: .92rem; overflow-wrap: anywhere; }
pre { margin: 0; overflow: auto; tab-size: 2; font-size: .88rem; line-height: 1.6; }
pre.text { padding: .8rem .95rem; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 80vh; }
pre.bad { font-weight: 400; }
.code { counter-reset: line; padding: .6rem 0; }
.code .l { display: block; position: relative; padding: 0 .95rem 0 4.4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.code .l::before { counter-increment: line; content: counter(line); position: absolute; left: 0; width: 3.5rem;
  text-align: right; color: var(--comment); }
.code .l:hover { background: var(--tint); }
.code a { color: inherit; text-underline-offset: .35em; }
.k { color: var(--keyword); } .s { color: var(--string); } .n { color: var(--number); }
.c { color: var(--comment); font-style: italic; } .f { color: var(--call); } .t { color: var(--type); }
.diff { padding: .3rem 0; }
.diff span { display: block; padding: 0 .95rem 0 1.85rem; text-indent: -.9rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff .plus { background: var(--plus); } .diff .minus { background: var(--minus); }
.diff .hunk { color: var(--comment); background: var(--tint); }
.pages, .choices { gap: .2rem 1.2rem; margin: 1rem 0 0; }
.card .pages { margin: 0; padding: .6rem .95rem; border-top: 1px solid var(--line); }
.empty { padding: .7rem .95rem; color: var(--soft); margin: 0; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1.2rem; margin: 0; padding: .8rem .95rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .4rem .95rem; text-align: left; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 400; }
tbody tr { border-top: 1px solid var(--line); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.bars { display: block; width: 7.5rem; height: 1.5rem; }
.chart { padding: .9rem .95rem .5rem; }
.bars.wide { width: 100%; height: 5rem; }
.ran { fill: var(--accent); } .broke { fill: var(--bad); }
.readme { padding: .4rem .95rem .8rem; overflow-wrap: anywhere; }
.readme h3 { font-size: 1.25rem; } .readme h4 { font-size: 1.1rem; } .readme h5, .readme h6 { font-size: 1rem; }
.readme h3, .readme h4, .readme h5, .readme h6 { margin: 1rem 0 .3rem; }
.readme pre { padding: .6rem .8rem; border-radius: .4rem; background: var(--tint); }
.readme blockquote { margin: .6rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--soft); }
.readme table { display: block; overflow-x: auto; width: auto; }
.readme th, .readme td { border: 1px solid var(--line); }
@media (min-width: 76rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) 25rem; gap: 0 1.5rem; align-items: start; }
}
@media (max-width: 40rem) {
  header, main { padding-left: .8rem; padding-right: .8rem; }
  h1 { font-size: 1.5rem; }
  .search { flex-basis: 100%; }
  .search input { flex: 1; }
  .who { flex-basis: 100%; justify-content: space-between; }
  .vals .meta { margin-left: 0; flex-basis: 100%; }
  th, td { padding: .4rem .5rem; }
  .code .l { padding-left: 3.2rem; }
  .code .l::before { width: 2.5rem; }
}
`;
