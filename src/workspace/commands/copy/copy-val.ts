import type { AddRemark } from '../../../core/command-line/failures.ts';
import { BadResponseError } from '../../../core/errors.ts';
import type { Api } from '../../../core/http/api.ts';
import { codeOf, textAt } from '../../../core/http/record-fields.ts';
import { withoutUndefined } from '../../../core/lib/json.ts';
import type { Outcome } from '../../../core/lib/outcome.ts';
import * as routes from '../../../core/routes.ts';
import { idAndVersion } from '../../remote-vals.ts';
import type { Target } from './copy-target.ts';
import { firstCall, sendCopy } from './send-copy.ts';
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
  const { from, target, force, dryRun } = options;
  const original = await readOriginal(val, from);
  const { name } = original;
  const found = await target.find(name);
  const there = found === 'unknown' ? undefined : found;
  const remarkOnPrivacy = (now: string | undefined) => {
    const where = `${now} on ${target.name}`;
    if (!now) return;
    if (there?.privacy && now !== there.privacy)
      remark({ subject: name, problem: `changed from ${there.privacy} to ${where}` });
    if (original.privacy && now !== original.privacy)
      remark({
        subject: name,
        problem: { one: `is ${where}, unlike the original`, many: `are ${where}, unlike the originals` },
      });
  };
  const [first, ...later] = await versionsToSend(original, there, options);
  if (first === undefined) {
    remarkOnPrivacy(there?.privacy);
    return { name, status: 'unchanged', ...idAndVersion(there) };
  }
  const copy = { original, there, mayReplace: found === 'unknown' && force };
  const code = await first();
  for (const service of [from, target.api]) service.refuseToken(firstCall(copy, code));
  const row = withoutUndefined({ name, versionBefore: there?.version });
  if (dryRun) return { ...row, status: 'planned', ...idAndVersion({ id: there?.id }) };
  const sent = await sendCopy(copy, { code, later }, options);
  for (const field of sent.leftOut)
    remark({
      subject: name,
      problem: {
        one: `was copied without its ${field}, which ${target.name} refused`,
        many: `were copied without their ${field}, which ${target.name} refused`,
      },
    });
  remarkOnPrivacy(sent.privacy);
  return { ...row, status: sent.isNew ? 'created' : 'pushed', ...idAndVersion(sent) };
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
