import type { ServiceReply } from '../request.ts';
import { type Html, html } from './html.ts';
import type { RunData } from './page-data.ts';
import { pageReply } from './page-layout.ts';
import { card, nothing, timeHtml, valAddress } from './parts.ts';
import { durationText, resultMark } from './run-parts.ts';
import type { View } from './visitor.ts';

export function runPage(view: View, { run, logs, isVersionThere }: RunData): ServiceReply {
  const { base, now } = view;
  const { val, version, startedAt, endedAt, durationMs, reporter, error, id } = run;
  const address = valAddress(base, val.id);
  const versionText =
    isVersionThere && version !== undefined
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
    ['Id', html`<span class="id">${id}</span>`],
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
