import { relative } from 'node:path';
import { defineCommand } from '../cli/command.ts';
import type { Context } from '../cli/context.ts';
import { path } from '../cli/value-types.ts';
import { LocalError, UsageError } from '../errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { withSlashes } from '../lib/paths.ts';
import type { SyntaxFault } from '../run/check-syntax.ts';
import { column } from '../terminal/column.ts';
import type { Result } from '../terminal/result.ts';
import { findRoot } from '../workspace/disk/root.ts';
import { collectFiles } from '../workspace/sources/walk.ts';
import { createAnnotations } from './push/github.ts';
import { type SourceFile, sourceFile } from './push/source-file.ts';
import { createSyntaxCheck } from './push/syntax-check.ts';
import { excerpt, isChecked, syntaxError } from './shared/syntax.ts';

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
    const isOther = (item: SourceFile) => !isChecked(item.file) && !problems.has(item);
    for (const { file } of items.filter(isOther)) {
      context.say({ kind: 'note', text: `${file} was not checked, because it is not a code file.` });
    }
    const checked = items.filter((item) => !isOther(item));
    return report(context, checked, problems);
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

async function findProblems(
  { settings, signal }: Context,
  items: readonly SourceFile[],
): Promise<ReadonlyMap<SourceFile, Problem[]>> {
  const syntax = createSyntaxCheck(settings.cwd);
  const problems = new Map<SourceFile, Problem[]>();
  for (const item of items) {
    signal.throwIfAborted();
    try {
      const code = await item.read();
      if (code !== undefined) syntax.add(item, code);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      problems.set(item, [{ error, row: { file: item.file, message: error.message } }]);
    }
  }
  const found = await syntax.finish();
  for (const item of items) {
    const faults = found.get(item.file)?.map((fault) => problemOf(item, fault));
    if (faults !== undefined) problems.set(item, faults);
  }
  return problems;
}

function problemOf({ file }: SourceFile, fault: SyntaxFault): Problem {
  const { line, column, message, lineText } = fault;
  return {
    error: syntaxError(file, fault),
    row: { file, line, column, message },
    code: excerpt(lineText, column),
  };
}

function report(
  context: Context,
  items: readonly SourceFile[],
  problemsByItem: ReadonlyMap<SourceFile, readonly Problem[]>,
): Result {
  const broken = items.filter((item) => problemsByItem.has(item));
  const problems = broken.flatMap((item) => problemsByItem.get(item) ?? []);
  const count = items.length === 1 ? '1 file' : `${items.length} files`;
  if (problems.length === 0) {
    context.say({ kind: 'done', text: `No syntax errors in ${count}.` });
    return context.forPerson ? { kind: 'nothing' } : { kind: 'outcomes', rows: [] };
  }
  const annotate = createAnnotations(context);
  for (const { row, error } of problems) annotate(`${row.file}`, error);
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
    error: new LocalError(`${nameBroken(broken, count)} errors.`, {
      hint: 'Fix the code, then check it again.',
    }),
  };
}

/** The output works on copies of the rows. */
const keyOf = ({ file, line, column }: JsonObject): string => JSON.stringify([file, line, column]);

function nameBroken(broken: readonly SourceFile[], count: string): string {
  if (broken.length > 1) return `${broken.length} of ${count} have`;
  const file = broken[0]?.file;
  return `${file === '-' ? 'The code' : file} has`;
}

const placeIn = ({ file, line, column }: JsonObject): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');
