import { changeFields, publicity } from '../../api/change-val.ts';
import { textAt } from '../../api/record-fields.ts';
import type { ValFields } from '../../api/routes.ts';
import { PartialError, RefusedError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { RemoteVal } from '../../workspace/remote-vals.ts';
import type { Destination } from './copy-target.ts';

export function fieldsOf(source: JsonObject): ValFields {
  const readme = textAt(source, 'readme');
  const privacy = textAt(source, 'privacy');
  return { ...(readme && { readme }), ...(privacy && { privacy }) };
}

export function privacyOf(source: JsonObject): ValFields {
  const { privacy } = fieldsOf(source);
  return privacy === undefined ? {} : { privacy };
}

/** A copy never becomes more public, because its old versions may contain code that nobody else may read. */
export function fieldsToChange(source: JsonObject, there: RemoteVal, force: boolean): ValFields {
  const { readme, privacy } = fieldsOf(source);
  const isNarrower = privacy !== undefined && publicity(privacy, 0) < publicity(there.privacy, 2);
  return { ...(force && readme && { readme }), ...(isNarrower && { privacy }) };
}

/**
 * Some services ignore the privacy of a new version, and would show its code to everybody. Returns the fields that are
 * still to be sent.
 */
export async function changePrivacyFirst(
  fields: ValFields,
  there: RemoteVal | undefined,
  { api, name }: Destination,
): Promise<ValFields> {
  const { privacy, ...others } = fields;
  if (privacy === undefined || there?.id === undefined || there.privacy === undefined) return fields;
  const { notApplied } = await changeFields(api, there.id, { privacy });
  if (notApplied.length === 0) return others;
  throw new RefusedError(
    `The val is ${there.privacy} on ${name}, and that service does not make it ${privacy}. Nothing was copied.`,
    { hint: `Make the val ${privacy} on that service, then run the command again.` },
  );
}

/** The copy must not be more public than the val, nor than the copy was before. */
export const narrower = (privacy = 'public', privacyThere = 'public'): string =>
  publicity(privacy, 0) <= publicity(privacyThere, 0) ? privacy : privacyThere;

export const madePublic = (privacy: string, privacyNow: string, { name }: Destination): PartialError =>
  new PartialError(
    `The copy on ${name} is ${privacyNow}, but should be ${privacy}. No other version was copied.`,
    {
      hint: `Delete the copy, or make it ${privacy} on that service.`,
    },
  );

export const notPrivateThere = (valMadePublic: string, { name }: Destination): RefusedError =>
  new RefusedError(`Nothing was copied, because ${name} ignored the privacy of "${valMadePublic}".`, {
    hint: 'Copy only public vals to that service.',
  });

export const mayBePublic = ({ privacy = 'public' }: ValFields): boolean => privacy === 'public';
