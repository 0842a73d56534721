import { defineCommand } from '../command-line/command.ts';
import { newName, path, type ValueType, wordLike } from '../command-line/value-types.ts';
import { InvalidValue, UsageError } from '../errors.ts';
import { sh } from '../lib/hint.ts';
import { column, idColumn } from '../output/column.ts';
import { chooseFiles } from '../push/choose-files.ts';
import { annotateFailures } from '../push/github.ts';
import { noCheck } from '../push/syntax.ts';
import { upsertFiles } from '../push/upsert.ts';
import { fileColumn, outcomeColumn, versionColumn } from './shared/columns.ts';
import { dryRun } from './shared/options.ts';

const requestCount: ValueType<number | 'auto'> = {
  ...wordLike(['auto'], 'n'),
  parse(word) {
    if (word === 'auto') return word;
    if (/^0*[1-9]\d*$/.test(word)) return Number(word);
    throw new InvalidValue(`takes auto or a whole number of at least 1, not "${word}".`, 'For example auto.');
  },
};

export const folderDetails =
  'A folder stands for its .ts .tsx .mts .js .jsx .mjs files, without tests (*.test.*, *.spec.*), settings of tools (*.config.*) and what git ignores or .valsignore lists.';

export const concurrencyDetails =
  '--concurrency auto, the default, sends up to 32 requests in parallel, and fewer if the service refuses some.';

export const pushOptions = {
  name: {
    description: 'the name of the val, for one new file',
    value: newName(),
  },
  concurrency: {
    description: 'the number of parallel requests (default: auto)',
    value: requestCount,
    rare: true,
    forPeople: true,
  },
  noCheck,
  dryRun,
} as const;

const pathsArgument = {
  description: 'files or folders to push, or - for standard input',
  value: path('paths'),
  optional: true,
  repeatable: true,
} as const;

export const command = defineCommand({
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files. The file send-mail.ts becomes the val send_mail. A push replaces the ' +
    'code of the val; older versions are kept.',
  details: `${folderDetails} ${concurrencyDetails}`,
  arguments: { paths: pathsArgument },
  options: pushOptions,
  examples: ['vals push hello.ts', 'cat hello.ts | vals push - --name hello'],
  columns: [
    outcomeColumn,
    { ...column('plan'), only: 'terminal' },
    column('name'),
    versionColumn,
    idColumn('id'),
    fileColumn,
  ],
  empty: 'Nothing to push.',
  async run(context, { paths, name, concurrency = 'auto', noCheck = false, dryRun = false }) {
    if (paths.length === 0) {
      throw new UsageError('No path was given.', {
        hint: sh`To push a file, run ${['push', 'hello.ts']}.`,
      });
    }
    const files = await chooseFiles(context, { paths, name });
    const result = await upsertFiles(context, files, { name, concurrency, noCheck, dryRun });
    annotateFailures(context, result.rows);
    return result;
  },
});
