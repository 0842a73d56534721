import { project } from '../fields.ts';
import type { RecordResult } from '../result.ts';
import type { Sink } from '../streams.ts';
import { tabLine } from './format-records.ts';
import { writeJson } from './json.ts';
import { type RenderOptions, screenOf, shownColumns } from './options.ts';

export async function renderRecord(
  { record, columns: resultColumns }: RecordResult,
  stdout: Sink,
  options: RenderOptions,
): Promise<void> {
  const { kind, fields, forPerson, redactor } = options;
  const columns = shownColumns(resultColumns, options);
  await options.interruptibleIfReadOnly(async () => {
    if (kind !== 'text') return writeJson(fields ? project(record, fields) : record, stdout, options);
    if (!forPerson) return stdout.write(tabLine(record, columns, redactor));
    const { formatRecord } = await import('../record.ts');
    const text = await formatRecord(record, columns, fields !== undefined, await screenOf(stdout, options));
    await stdout.write(text);
  });
}
