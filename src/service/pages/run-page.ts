import type { ServiceReply } from '../request.ts';
import { findRun } from '../store/runs.ts';
import { hasVersion } from '../store/versions.ts';
import { type Html, html } from './html.ts';
import { pageReply } from './page-layout.ts';
import { card, nothing, timeHtml, valAddress } from './parts.ts';
import { durationText, resultMark } from './run-parts.ts';
import { readShownRun } from './shown-run.ts';
import { accessOfVisitor, type Visit } from './visitor.ts';

export async function runPage({ db, request, view }: Visit, id: string): Promise<ServiceReply> {
  const { base, now } = view;
  const { json, logs } = await findRun(db, accessOfVisitor(request), id);
  const run = readShownRun(json);
  const { val, version, startedAt, endedAt, durationMs, reporter, error } = run;
  const address = valAddress(base, val.id);
  const versionText =
    version !== undefined && (await hasVersion(db, val.id, version))
      ? html`<a href="${address}/versions/${version}">${version}</a>`
      : version;
  const facts: [string, Html | string | number | undefined][] = [
    ['Result', resultMark(run)],
    ['Val', html`<a href="${address}">${val.name}</a>`],
    ['Version', versionText],
    ['Started', timeHtml(startedAt, now, { withSeconds: true })],
    ['Ended', endedAt && timeHtml(endedAt, now, { withSeconds: true })],
    ['Took', durationMs === undefined ? undefined : durationText(durationMs)],
    ['Reported by', reporter],
    ['Id', html`<span class="id">${run.id}</span>`],
  ];
  const rows = facts.map(([name, value]) =>
    value === undefined ? '' : html`<dt>${name}</dt><dd>${value}</dd>`,
  );
  const output = logs
    ? html`<pre class="text" tabindex="0">${logs}</pre>`
    : nothing('The service kept no output of this run.');
  return pageReply(view, {
    title: `Run of ${val.name}`,
    main: html`<h1>Run of ${val.name}</h1>
<section class="card"><dl>${rows}</dl></section>
${error === '' ? '' : card('Error', html`<pre class="text bad" tabindex="0">${error}</pre>`)}
${card('Output', output)}`,
  });
}
