import type { ArgumentDefinition, Context, OptionDefinition, Options } from '../../command-line/command.ts';
import {
  integer,
  path,
  time,
  val,
  valWord,
  versionNumber,
  wordLike,
} from '../../command-line/value-types.ts';
import { unsetVariable } from '../../command-line/write-hints.ts';
import { LocalError } from '../../errors.ts';
import { readText } from '../../files/read-text.ts';
import type { Call } from '../../http/call.ts';
import { column } from '../../output/column.ts';
import type { RecordResult } from '../../output/out.ts';
import { isOn } from '../../settings/settings.ts';

export const paging = {
  limit: {
    description: 'the largest number of records to list (default: 20)',
    value: integer({ min: 1 }),
    conflicts: ['all'],
  },
  offset: {
    description: 'the number of records to skip at the start of the list',
    value: integer({ min: 0 }),
  },
  all: { description: 'list all records', forPeople: true },
} as const satisfies Options;

export const timeRange = {
  since: {
    description: 'only records after this time: ISO 8601, now or an age (2h)',
    value: time(),
  },
  until: {
    description: 'only records up to this time: ISO 8601, now or an age (2h)',
    value: time(),
  },
} as const satisfies Options;

export const runFilter = {
  error: { description: 'only failed runs', negatable: 'only runs that did not fail' },
  ...timeRange,
} as const satisfies Options;

export const dryRun = {
  description: 'send nothing; print what would be sent',
} satisfies OptionDefinition;
export const yes = { description: 'do not ask for confirmation', forPeople: true } satisfies OptionDefinition;

export const privacy = {
  description: 'who can see the val: public, unlisted or private',
  value: wordLike(['public', 'unlisted', 'private']),
} satisfies OptionDefinition;

export const valArgument = {
  description: 'the name, id, start of the id, or file of a val',
  value: val(),
} satisfies ArgumentDefinition;

export const codeFile = {
  description: 'a file with the code of the val (default: standard input)',
  value: path(),
  optional: true,
} as const satisfies ArgumentDefinition;

export const versionArgument = {
  description: 'the number of the version',
  value: versionNumber('version'),
} satisfies ArgumentDefinition;

export const plan = ({ method, path, body }: Call): RecordResult => ({
  kind: 'record',
  record: { method, path, ...(body !== undefined && { body }) },
  columns: [column('method'), column('path'), column('body')],
});

export const ifVersion = {
  description: 'write only if this is still the version of the val',
  value: versionNumber(),
  rare: true,
} satisfies OptionDefinition;

/** The argument of the commands that compare files with their vals. */
export const valsOfWorkspace = {
  description: 'names, files, folders or ids of vals (default: all)',
  value: valWord(),
  optional: true,
  repeatable: true,
} as const;

/** The text of the file of --readme. People give the text itself. */
export async function readReadme(file: string, context: Context): Promise<string> {
  try {
    return await readText(file, context);
  } catch (error) {
    if (error instanceof LocalError) {
      error.facts.hint = 'The readme comes from a file. To name the file, add --readme <file>.';
    }
    throw error;
  }
}

/** These variables count more than what `vals login`, `vals logout` and `vals use` store. */
const consequences = {
  VALS_TOKEN: 'commands use the token in VALS_TOKEN instead of the stored token.',
  VALS_BASE_URL: 'commands use the service in VALS_BASE_URL instead of the default service.',
  VALS_LOCAL: 'commands use the embedded service.',
};

export function warnIfSet(
  { host: { env, system }, out: { say } }: Pick<Context, 'host' | 'out'>,
  variable: keyof typeof consequences,
): void {
  const isSet = variable === 'VALS_LOCAL' ? isOn(env.VALS_LOCAL) : Boolean(env[variable]);
  if (!isSet) return;
  const text = `${variable} is set, so ${consequences[variable]}`;
  const unset = `To use the default service, run \`${unsetVariable(system.platform, variable)}\`.`;
  say({ kind: 'warning', text: variable === 'VALS_LOCAL' ? [text, unset] : text });
}
