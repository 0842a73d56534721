export const style = `
:root {
  color-scheme: light dark;
  --paper: #faf9f7; --card: #fff; --ink: #22201d; --soft: #6d675f; --line: #e6e1d9; --accent: #3a55c5;
  --good: #1c7a43; --bad: #b3261e; --plus: #e3f5e8; --minus: #fdeae8; --tint: #f1eee8;
  --keyword: #8a2bb0; --string: #22703f; --number: #a3541a; --comment: #857d72; --call: #2a5db0; --type: #0f7480;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e7e5e1; --soft: #9a9fa9; --line: #2d323b; --accent: #93a9ff;
    --good: #6fd195; --bad: #ff8f85; --plus: #17311f; --minus: #3a1d1c; --tint: #23272f;
    --keyword: #cf9bf0; --string: #8fd3a2; --number: #eab280; --comment: #8b8f99; --call: #8db8ff; --type: #73cfd9;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); }
header, main { margin: 0 auto; max-width: 76rem; padding: 0 1.25rem; }
header { padding-top: 1.25rem; }
main { padding-bottom: 4rem; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; justify-content: space-between; align-items: center; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-right: auto; }
nav [aria-current] { color: var(--ink); font-weight: 600; }
button, input, select { font: inherit; color: inherit; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card); }
input { width: min(100%, 26rem); }
button { cursor: pointer; }
.brand { color: var(--ink); font-weight: 700; letter-spacing: -.02em; }
.brand::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .45em; border-radius: .2em;
  background: linear-gradient(135deg, var(--accent), var(--keyword)); }
h1 { margin: 1.4rem 0 .3rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.02em; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: .95rem; }
p { margin: .4rem 0; }
.meta { color: var(--soft); display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: center; font-size: .92rem; }
code, pre, .id { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.id { font-size: .82rem; overflow-wrap: anywhere; }
.badge { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; background: var(--tint); }
.badge.public { color: var(--good); }
.badge.private { color: var(--soft); }
.badge.unlisted { color: var(--number); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; margin-top: 1.1rem; overflow: hidden; }
.card > h2, .card > .bar { padding: .6rem .95rem; border-bottom: 1px solid var(--line); background: var(--tint); }
.bar { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; justify-content: space-between; }
.bar span { color: var(--soft); font-size: .85rem; }
ul { list-style: none; margin: 0; padding: 0; }
li { display: flex; flex-wrap: wrap; gap: .1rem .8rem; align-items: baseline; padding: .55rem .95rem; }
li + li { border-top: 1px solid var(--line); }
.vals li { padding: .8rem .95rem; }
.vals a { font-weight: 600; font-size: 1.05rem; overflow-wrap: anywhere; }
.vals .meta { margin-left: auto; align-items: baseline; }
.when { color: var(--soft); font-size: .88rem; }
.end { margin-left: auto; font-size: .88rem; }
.here { background: var(--tint); }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.note { background: var(--tint); border-left: 3px solid var(--accent); border-radius: .3rem; padding: .5rem .8rem; }
details, .why { flex-basis: 100%; font-size: .88rem; margin: 0; }
.why, summary { color: var(--bad); overflow-wrap: anywhere; }
summary { cursor: pointer; }
pre { margin: 0; overflow: auto; tab-size: 2; font-size: .86rem; line-height: 1.6; }
.bar button { padding: 0 .6rem; font-size: .85rem; }
.compare { padding: .55rem .95rem; border-top: 1px solid var(--line); font-size: .88rem; }
.compare button, .compare select { padding: .1rem .5rem; }
pre.text { padding: .8rem .95rem; white-space: pre-wrap; overflow-wrap: anywhere; font-family: inherit; font-size: .95rem; }
pre.output { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .86rem; max-height: 60vh; }
details pre { padding: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.code { counter-reset: line; padding: .6rem 0; }
.code .l { display: block; position: relative; padding: 0 .95rem 0 4.2rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.code .l::before { counter-increment: line; content: counter(line); position: absolute; left: 0; width: 3.3rem;
  text-align: right; color: var(--comment); opacity: .75; }
.code .l:hover { background: var(--tint); }
.k { color: var(--keyword); } .s, .r { color: var(--string); } .n { color: var(--number); }
.c { color: var(--comment); font-style: italic; } .f { color: var(--call); } .t { color: var(--type); }
.diff { padding: .3rem 0; }
.diff span { display: block; padding: 0 .95rem 0 1.85rem; text-indent: -.9rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff .plus { background: var(--plus); } .diff .minus { background: var(--minus); }
.diff .hunk { color: var(--comment); background: var(--tint); }
.pages { display: flex; gap: 1rem; margin-top: 1rem; }
.empty { padding: .7rem .95rem; color: var(--soft); margin: 0; }
@media (min-width: 74rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 0 1.5rem; align-items: start; }
}
@media (max-width: 36rem) {
  header, main { padding-left: .8rem; padding-right: .8rem; }
  h1 { font-size: 1.5rem; }
  .vals .meta { margin-left: 0; flex-basis: 100%; }
  .code .l { padding-left: 3.2rem; }
  .code .l::before { width: 2.5rem; }
}
`;

export const copyScript = `
for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.textContent = 'Copied';
  });
}
`;
