import type { Api } from '../../api/api.ts';
import { codeOf, textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import type { AddRemark } from '../../cli/failures.ts';
import { BadResponseError, ConflictError, type Problem } from '../../errors.ts';
import { type JsonValue, withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { codesToSend } from './codes-to-send.ts';
import type { Target } from './copy-target.ts';
import { fieldsToSend, firstCall, refuseTokens, sendCopy } from './send-copy.ts';

export interface CopyOptions {
  from: Api;
  target: Target;
  versions: boolean;
  force: boolean;
  dryRun: boolean;
}

/** Only the fields to copy, because whole records of many vals would fill the memory. */
export interface Original {
  id: string;
  name: string;
  code: string;
  readme: string | undefined;
  privacy: string | undefined;
}

interface ValToCopy {
  id: string;
  givenName: string | undefined;
}

export async function copyVal(val: ValToCopy, options: CopyOptions, remark: AddRemark): Promise<Outcome> {
  const original = await readOriginal(val.id, options.from);
  const { name } = original;
  // If the val now has another name, --force would overwrite a val that the user did not name.
  if (val.givenName !== undefined && val.givenName !== name) throw otherName(val.givenName, name);
  const remarkOn = (problem: Problem) => remark({ subject: name, problem });
  const expectSame = (field: 'readme' | 'privacy', now: string | undefined) => {
    if (original[field] && now !== undefined && now !== original[field])
      remarkOn({
        one: `has another ${field} on ${options.target.name} than the original`,
        many: `have another ${field} on ${options.target.name} than the originals`,
      });
  };

  const found = await options.target.find(name);
  const there = found === 'unknown' ? undefined : found;
  const codes = codesToSend(original, there, options);
  const first = await codes.next();
  if (first.done) {
    expectSame('privacy', there?.privacy);
    return { name, status: 'unchanged', ...idAndVersion(there?.id, there?.version) };
  }
  const row = withoutUndefined({ name, versionBefore: there?.version });
  const copy = { original, there, mayReplace: found === 'unknown' && options.force, remark: remarkOn };
  refuseTokens(firstCall(copy, first.value, fieldsToSend(copy)), options);
  if (options.dryRun) return { ...row, status: 'planned', ...idAndVersion(there?.id) };
  const { id, isNew, answers } = await sendCopy(copy, { first: first.value, later: codes }, options);
  const { version, readme, privacy } = answers.at(-1) ?? {};
  expectSame('readme', readme);
  expectSame('privacy', privacy);
  if (there?.privacy && privacy && privacy !== there.privacy)
    remarkOn(`changed from ${there.privacy} to ${privacy} on ${options.target.name}`);
  return { ...row, status: isNew ? 'created' : 'pushed', ...idAndVersion(id, version) };
}

async function readOriginal(id: string, from: Api): Promise<Original> {
  const record = await from.record(routes.getVal(id));
  const name = textAt(record, 'name');
  if (name === undefined) {
    throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
      hint: 'Give the val a name on the service, then run the command again.',
    });
  }
  const privacy = textAt(record, 'privacy');
  return { id, name, code: codeOf(record), readme: textAt(record, 'readme'), privacy };
}

const otherName = (name: string, nameNow: string): ConflictError =>
  new ConflictError(`The val "${name}" is named "${nameNow}" on the service. Nothing was copied.`, {
    hint: `To copy the val "${nameNow}", give its id.`,
  });

const idAndVersion = (id: string | undefined, version?: JsonValue) => withoutUndefined({ id, version });
