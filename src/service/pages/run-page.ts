import { accessOf } from '../admit.ts';
import type { ServiceReply } from '../request.ts';
import { findRun } from '../store/runs.ts';
import { hasVersion } from '../store/versions.ts';
import { type Html, html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { card, emptyNote, timeHtml, valAddress } from './parts.ts';
import { durationText, resultMark, shownRun } from './run-parts.ts';
import type { Visit } from './visitor.ts';

export async function runPage({ db, request, view }: Visit, id: string): Promise<ServiceReply> {
  const { base, now } = view;
  const found = await findRun(db, accessOf(request), id);
  request.noted.val = found.val.id;
  const run = shownRun(found);
  const { val, runStartAt, runEndAt, durationMs, reporter, error } = run;
  const address = valAddress(base, val.id);
  const versionText = (await hasVersion(db, val.id, val.version))
    ? html`<a href="${address}/versions/${val.version}">${val.version}</a>`
    : val.version;
  const facts: [string, Html | string | number | undefined][] = [
    ['Result', resultMark(run.result)],
    ['Val', html`<a href="${address}">${val.name}</a>`],
    ['Version', versionText],
    ['Started', timeHtml(runStartAt, now, { withSeconds: true })],
    ['Ended', runEndAt === null ? undefined : timeHtml(runEndAt, now, { withSeconds: true })],
    ['Took', durationMs === undefined ? undefined : durationText(durationMs)],
    ['Reported by', reporter.username],
    ['Id', html`<span class="id">${run.id}</span>`],
  ];
  const rows = facts.map(([name, value]) =>
    value === undefined ? '' : html`<dt>${name}</dt><dd>${value}</dd>`,
  );
  const output = found.logs
    ? html`<pre class="text" tabindex="0">${found.logs}</pre>`
    : emptyNote('The service kept no output of this run.');
  return pageReply(view, {
    title: `Run of ${val.name}`,
    main: html`<h1>Run of ${val.name}</h1>
<section class="card"><dl>${rows}</dl></section>
${error === null ? '' : card('Error', html`<pre class="text bad" tabindex="0">${error}</pre>`)}
${card('Output', output)}`,
  });
}
