// When a record is written, beside the push itself.
import { InterruptedError, UnknownOutcomeError } from '../core/errors.ts';
import type { JsonObject } from '../core/lib/json.ts';
import { codeOf, isSameCode } from './code.ts';
import type { Examined } from './examine.ts';
import type { Look } from './look.ts';
import { isSameRecord } from './records.ts';
import { idAndVersion, type ReadVal } from './remote-vals.ts';

/** Both sides have the same code, so a record says so. */
export function recordSame({ workspace, head }: Look, val: Examined): void {
  if (val.code !== 'unchanged' || val.renamed !== undefined) return;
  const { name, file, there, here, record } = val;
  const { id, version, changedAt } = there;
  const { text = here.text } = there.code;
  const now = { name, file, id, version, changedAt, head, code: codeOf(text) };
  if (!isSameRecord(record, now)) workspace.records.write(now);
}

/** A record has the name that the val has on the service. A renamed file gets it with the next push. */
export function recordThere({ workspace }: Look, file: string, there: ReadVal): void {
  const { id, name, version, changedAt, code } = there;
  workspace.records.write({ name, file, id, version, changedAt, head: workspace.head, code });
}

/** The service may have stored the code although its answer was lost. */
export function recordSent({ workspace }: Look, val: Examined, code: string, error: unknown): void {
  if (!(error instanceof UnknownOutcomeError) && !(error instanceof InterruptedError)) return;
  const { records, head } = workspace;
  const { name, file, there, record } = val;
  const sent = codeOf(code).blob;
  if (record !== undefined) records.update(record.name, { sent });
  // Without a record, both sides have had no code in common, and no val is empty.
  else records.write({ name, file, id: there?.id, head, code: codeOf(''), sent });
}

/** Finds the id of a val that the service stored without telling its id. */
export async function learnId({ workspace, remotes }: Look, name: string): Promise<JsonObject> {
  const { records } = workspace;
  const sent = records.of(name);
  const found = await remotes.named(name, undefined);
  if (sent === undefined || found === undefined || found === 'unknown' || found.id === undefined) return {};
  const { id, version, changedAt } = found;
  const isSame = isSameCode(found.code, sent.code);
  records.update(name, { id, ...(isSame && { version, changedAt }) });
  return idAndVersion({ id, version: isSame ? version : sent.version });
}
