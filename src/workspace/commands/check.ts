import { relative } from 'node:path';
import { defineCommand } from '../../core/command-line/command.ts';
import type { Context } from '../../core/command-line/context.ts';
import { path } from '../../core/command-line/value-types.ts';
import { excerpt, isChecked, syntaxError } from '../../core/commands/shared/syntax.ts';
import { LocalError, UsageError } from '../../core/errors.ts';
import type { SyntaxFault } from '../../core/files/check-syntax.ts';
import { findRoot } from '../../core/files/root.ts';
import { collectFiles } from '../../core/files/walk.ts';
import type { Hints } from '../../core/lib/hint.ts';
import type { JsonObject } from '../../core/lib/json.ts';
import { withSlashes } from '../../core/lib/paths.ts';
import { column } from '../../core/output/column.ts';
import type { Result } from '../../core/output/result.ts';
import { annotateFailures } from '../../core/push/github.ts';
import { readSources, type SourceFile, sourceFile, syntaxFaults } from '../../core/push/syntax-check.ts';

const columns = [column('file'), column('line'), column('column'), column('message'), column('code')];

export const command = defineCommand({
  summary: 'Find syntax errors in files',
  description:
    'Find syntax errors in files, as `vals push` does before it sends the files. Nothing is sent. In a workspace, ' +
    '`vals check` without a path checks all its files.',
  details:
    'A folder stands for its .ts .tsx .mts .js .jsx .mjs files, without tests (*.test.*, *.spec.*), settings of tools (*.config.*) and what .gitignore or .valsignore lists. ' +
    'The command does not check types and does not look for imported files. The exit code is 10 if a file has an error.',
  descriptionForAgents:
    'Find syntax errors in code or files, as push does before it sends them. Nothing is sent. Types and imported files ' +
    'are not checked.',
  arguments: {
    paths: {
      description: 'files or folders to check, or - for standard input',
      value: path('paths'),
      optional: true,
      repeatable: true,
      canBeCode: true,
      descriptionForAgents: 'files and folders to check; without paths, all files of the workspace',
    },
  },
  examples: ['vals check hello.ts', 'vals check examples --json'],
  columns,
  async run(context, { paths }) {
    const items = await itemsToCheck(context, paths);
    const problems = await findProblems(context, items);
    const broken = new Set(problems.map(({ row }) => `${row.file}`));
    const others = items.filter(({ file }) => !isChecked(file) && !broken.has(file));
    for (const { file } of others) {
      context.say({ kind: 'note', text: `${file} was not checked, because it is not a code file.` });
    }
    return report(context, problems, { broken: [...broken], checked: items.length - others.length });
  },
});

async function itemsToCheck(context: Context, paths: readonly string[]): Promise<SourceFile[]> {
  const root = paths.length > 0 ? undefined : findRoot(context.settings.cwd);
  if (paths.length === 0 && root === undefined) {
    throw new UsageError('No path was given, and this folder is not in a workspace.', {
      hint: { text: 'To check the files below this folder', command: 'check', input: { paths: ['.'] } },
    });
  }
  const folder = root && (withSlashes(relative(context.settings.cwd, root)) || '.');
  const files = await collectFiles(folder === undefined ? paths : [folder], context);
  return files.map((found) => sourceFile(context, found));
}

interface Problem {
  error: LocalError;
  row: JsonObject;
  code?: string;
}

/** In the order of the files. */
async function findProblems(context: Context, items: readonly SourceFile[]): Promise<Problem[]> {
  const { files, failed } = await readSources(context, items);
  const unreadable = new Map(
    failed.map(({ file, error }) => [file, { error, row: { file, message: error.message } }]),
  );
  const faults = await syntaxFaults(context, files);
  return items.flatMap(
    ({ file }): Problem | Problem[] =>
      unreadable.get(file) ?? (faults.get(file) ?? []).map((fault) => problemOf(file, fault)),
  );
}

function problemOf(file: string, fault: SyntaxFault): Problem {
  const { line, column, message, lineText } = fault;
  return {
    error: syntaxError(file, fault),
    row: { file, line, column, message },
    code: excerpt(lineText, column),
  };
}

function report(
  context: Context,
  problems: readonly Problem[],
  { broken, checked }: { broken: readonly string[]; checked: number },
): Result {
  const count = checked === 1 ? '1 file' : `${checked} files`;
  if (problems.length === 0) {
    context.say({ kind: 'done', text: `No syntax errors in ${count}.` });
    return context.forPerson ? { kind: 'nothing' } : { kind: 'outcomes', rows: [] };
  }
  annotateFailures(
    context,
    problems.map(({ row, error }) => ({ file: row.file, error })),
  );
  const codes = new Map(problems.map(({ row, code }) => [keyOf(row), code]));
  return {
    kind: 'outcomes',
    rows: problems.map(({ row }) => row),
    columns: [
      { ...column('place'), only: 'terminal', neverCut: true, compute: placeIn },
      ...columns.slice(0, 3).map((each) => ({ ...each, only: 'pipe' as const })),
      column('message'),
      { ...column('code'), droppable: 1, compute: (row) => codes.get(keyOf(row)) },
    ],
    error: new LocalError(`${nameBroken(broken, count)} errors.`, { hint: hintFor(problems) }),
  };
}

/** A file that cannot be read has its own hint, such as a path that is nearly the same. */
function hintFor(problems: readonly Problem[]): Hints | undefined {
  const unreadable = problems.every(({ row }) => row.line === undefined);
  return unreadable ? problems[0]?.error.facts.hint : 'Fix the code, then check it again.';
}

/** The output works on copies of the rows. */
const keyOf = ({ file, line, column }: JsonObject): string => JSON.stringify([file, line, column]);

function nameBroken(broken: readonly string[], count: string): string {
  if (broken.length > 1) return `${broken.length} of ${count} have`;
  const [file] = broken;
  return `${file === '-' ? 'The code' : file} has`;
}

const placeIn = ({ file, line, column }: JsonObject): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');
