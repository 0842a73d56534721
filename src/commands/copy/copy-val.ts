import type { Api } from '../../api/api.ts';
import { codeOf, textAt } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import type { AddRemark } from '../../cli/failures.ts';
import { BadResponseError, type Problem } from '../../errors.ts';
import { withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { idAndVersion } from '../../workspace/remote-vals.ts';
import type { Target } from './copy-target.ts';
import { firstCall, refuseTokens, sendCopy } from './send-copy.ts';
import { versionsToSend } from './versions-to-send.ts';

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
  const { target, force, dryRun } = options;
  const original = await readOriginal(val, options.from);
  const { name } = original;
  const remarkOn = (problem: Problem) => remark({ subject: name, problem });
  const remarkOnOtherPrivacy = (now: string | undefined) => {
    if (!original.privacy || now === undefined || now === original.privacy) return;
    remarkOn({
      one: `has another privacy on ${target.name} than the original`,
      many: `have another privacy on ${target.name} than the originals`,
    });
  };

  const found = await target.find(name);
  const there = found === 'unknown' ? undefined : found;
  const [first, ...later] = await versionsToSend(original, there, options);
  if (first === undefined) {
    remarkOnOtherPrivacy(there?.privacy);
    return { name, status: 'unchanged', ...idAndVersion(there) };
  }
  const copy = { original, there, mayReplace: found === 'unknown' && force, remark: remarkOn };
  const code = await first.readCode();
  refuseTokens(firstCall(copy, code), options);
  const row = withoutUndefined({ name, versionBefore: there?.version });
  if (dryRun) return { ...row, status: 'planned', ...withoutUndefined({ id: there?.id }) };
  const sent = await sendCopy(copy, { code, later }, options);
  const { isNew, privacy } = sent;
  remarkOnOtherPrivacy(privacy);
  if (there?.privacy && privacy && privacy !== there.privacy)
    remarkOn(`changed from ${there.privacy} to ${privacy} on ${target.name}`);
  return { ...row, status: isNew ? 'created' : 'pushed', ...idAndVersion(sent) };
}

/** A val that the user named is copied under that name, even if the service now calls it by another one. */
async function readOriginal({ id, givenName }: ValToCopy, from: Api): Promise<Original> {
  const record = await from.record(routes.getVal(id));
  const name = givenName ?? textAt(record, 'name');
  if (name === undefined) {
    throw new BadResponseError(`The service sent no name for the val ${id}, so the val cannot be copied.`, {
      hint: 'Give the val a name on the service, then run the command again.',
    });
  }
  const privacy = textAt(record, 'privacy');
  return { id, name, code: codeOf(record), readme: textAt(record, 'readme'), privacy };
}
