import type { Call } from '../../api/call.ts';
import { argument, parsed, toggle, val, word } from '../../cli/command.ts';
import { parseMoment } from '../../cli/moments.ts';
import { InvalidValue, UsageError } from '../../errors.ts';
import { column } from '../../terminal/column.ts';
import type { RecordResult } from '../../terminal/result.ts';

export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      throw new InvalidValue(
        `takes a whole number ${range}, not "${text}".`,
        `For example ${Math.max(least, 20)}.`,
      );
    }
    return value;
  };

const highestPort = 65_535;

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > highestPort) {
    throw new InvalidValue(
      `takes a number from 0 to ${highestPort}, not "${text}".`,
      'For a free port, use 0.',
    );
  }
  return Number(text);
}

export const paging = {
  limit: parsed('--limit <n>', 'the largest number of records to list (default: 20)', wholeNumber(1), {
    isNumber: true,
    conflicts: ['all'],
  }),
  offset: parsed('--offset <n>', 'the number of records to skip at the start of the list', wholeNumber(0), {
    isNumber: true,
  }),
  all: toggle('--all', 'list all records', { hiddenFromAgents: true }),
};

export const timeRange = {
  since: parsed('--since <time>', 'only records after this time: ISO 8601, now or an age (2h)', (text) =>
    parseMoment(text),
  ),
  until: parsed('--until <time>', 'only records up to this time: ISO 8601, now or an age (2h)', (text) =>
    parseMoment(text),
  ),
};

export const runFilter = {
  error: toggle('--error', 'only failed runs', { negatedDescription: 'only runs that did not fail' }),
  ...timeRange,
};

export const dryRun = toggle('-n, --dry-run', 'send nothing; print what would be sent');
export const yes = toggle('--yes', 'do not ask for confirmation', { hiddenFromAgents: true });

export const privacy = word('--privacy <word>', 'who can see the val: public, unlisted or private', {
  words: ['public', 'unlisted', 'private'],
});

export const valArgument = val('<val>', 'the name, id, start of the id, or file of a val');

export const codeFile = {
  ...argument('[file]', 'a file with the code of the val (default: standard input)'),
  canBeCode: true,
  descriptionForAgents: 'a file with the code of the val',
};

export function versionNumber(text: string): string {
  if (!/^\d+$/.test(text)) {
    throw new UsageError(`"${text}" is not the number of a version.`, {
      hint: [
        'A version number is a whole number.',
        { text: 'To list the versions of a val', command: 'version ls' },
      ],
    });
  }
  // A version must stay a string, because it may be larger than Number.MAX_SAFE_INTEGER.
  return text.replace(/^0+(?=\d)/, '');
}

export const version = <Form extends string>(form: Form, description: string) => ({
  ...argument(form, description, versionNumber),
  isNumber: true,
});

export const versionArgument = version('<version>', 'the number of the version');

export const plan = ({ method, path, body }: Call): RecordResult => ({
  kind: 'record',
  record: { method, path, ...(body !== undefined && { body }) },
  columns: [column('method'), column('path'), column('body')],
});

export const ifVersion = parsed(
  '--if-version <n>',
  'write only if this is still the version of the val',
  versionNumber,
  { isNumber: true },
);
