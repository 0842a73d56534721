import type { Run } from '../command-line/command.ts';
import type { OutcomeRow } from '../output/outcome.ts';
import type { Result, Rows } from '../output/result.ts';

/** At a terminal, the change of one val is one line. The table is for several, and for what went wrong. */
export function shownPush({ out, flags }: Run, result: Rows): Result {
  const [only, another] = result.rows;
  if (!out.forPerson || flags.fields !== undefined || result.error !== undefined) return result;
  const sentence = only === undefined || another !== undefined ? undefined : sentenceOf(only);
  if (sentence === undefined) return result;
  out.say({ kind: 'done', text: sentence });
  return { kind: 'nothing' };
}

function sentenceOf({ status, name, version }: OutcomeRow): string | undefined {
  const isVersion = version === undefined ? '' : ` It has version ${version}.`;
  switch (status) {
    case 'created':
      return `Created ${name}.`;
    case 'pushed':
      return `${name} is now version ${version}.`;
    case 'sent':
      return `The service accepted ${name}.${isVersion}`;
    case 'deleted':
      return `Deleted ${name}.`;
    default:
      return undefined;
  }
}
