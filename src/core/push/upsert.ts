// Outside of a workspace, a push creates or replaces the val with the name of the file, without a comparison.

import type { Context } from '../command-line/command.ts';
import { ConflictError, NotFoundError, undefinedIf, ValsError } from '../errors.ts';
import { runBatch } from '../failures/batch.ts';
import { hasConflictMarkers } from '../files/check-syntax.ts';
import { nameFrom, refuseUnusableNames } from '../files/val-names.ts';
import type { FoundFile } from '../files/walk.ts';
import { findNamed } from '../find-val/find-val.ts';
import type { SeenVal, SeenVals } from '../find-val/seen-vals.ts';
import type { Api } from '../http/api.ts';
import type { Call, Reply } from '../http/call.ts';
import { versionOf } from '../http/record-fields.ts';
import { versionsOf } from '../http/versions.ts';
import { type Hints, sh, someOf } from '../lib/hint.ts';
import { textAt, withoutUndefined } from '../lib/json.ts';
import { isSameCode } from '../lib/vals.ts';
import type { Outcome, Rows } from '../output/out.ts';
import * as routes from '../routes.ts';
import { mayPublish } from './privacy.ts';
import { type FailedFile, type PushedFile, pushWording, refuseFiles } from './refuse-files.ts';
import { noteRelativeImports } from './relative-imports.ts';
import { readSources, type SourceFile, sourceFile, syntaxError, syntaxFaults } from './syntax.ts';

export interface UpsertOptions {
  /** --name */
  name: string | undefined;
  dryRun: boolean;
  noCheck: boolean;
  concurrency: number | 'auto';
}

interface CodeFile extends SourceFile, PushedFile {
  code: string;
}

export async function upsertFiles(
  context: Context,
  found: readonly FoundFile[],
  options: UpsertOptions,
): Promise<Rows> {
  const { dryRun, concurrency } = options;
  const names = found.map(({ file }) => ({ file, name: options.name ?? nameFrom(file) }));
  refuseUnusableNames(names);
  const sources = found.map((file, index) => ({
    ...sourceFile(context, file),
    name: names[index]?.name ?? '',
  }));
  const { files, failed } = await readAll(context, sources, options);
  if (failed.length > 0) return refuseFiles(context, sources, failed);
  if (dryRun) {
    const rows = files.map(({ file, name }) => ({ file, name, status: 'planned', plan: 'send' }));
    return { kind: 'list', rows };
  }

  const api = await context.api({ concurrency });
  const seen = context.vals.seen.recall();
  const readsVersions = files.length <= mostReadAfterwards;
  const replacedUnknown = new Set<string>();
  const tasks = files.map(({ file, name, code }) => ({
    row: { file, name },
    label: file,
    async run(): Promise<Outcome> {
      const call = await callFor(context, name, code);
      api.refuseToken(call);
      const reply = await api.send(call);
      const before = knownBefore(seen, textAt(reply.body, 'id'), name);
      const outcome = await outcomeOf(api, code, reply, { before, readsVersions });
      const { status, versionBefore } = outcome;
      const isKnown = before !== undefined && (status !== 'pushed' || versionBefore !== undefined);
      if (status !== 'created' && !isKnown) replacedUnknown.add(name);
      return outcome;
    },
  }));
  const { signal } = context.host;
  const outcomes = await runBatch(tasks, {
    ...pushWording(context),
    concurrency,
    signal,
    progress: 'Pushing',
  });
  noteRelativeImports(context, files);
  const inOrder = files.flatMap(({ name }) => (replacedUnknown.has(name) ? name : []));
  return { ...outcomes, note: noteOnReplaced(inOrder) };
}

/** More files would need as many requests again. */
const mostReadAfterwards = 20;

/** Whether a push replaced something is unknown unless the val's previous version was known. */
function noteOnReplaced(names: readonly string[]): Hints | undefined {
  const [first] = names;
  if (first === undefined) return undefined;
  return sh`What was there before, if anything, is among the versions of ${someOf(names)}: see ${['version', 'ls', first]}.`;
}

/** Where the answer has no id, the name of a val of mine tells. */
const knownBefore = (
  { vals, mine }: ReturnType<SeenVals['recall']>,
  id: string | undefined,
  name: string,
): SeenVal | undefined =>
  id === undefined ? mine.find((val) => val.name === name) : vals.find((val) => val.id === id);

async function readAll(
  context: Context,
  sources: readonly (SourceFile & PushedFile)[],
  { noCheck }: UpsertOptions,
): Promise<{ files: CodeFile[]; failed: FailedFile[] }> {
  const { files, failed: unreadable } = await readSources(context, sources);
  const marked = files.filter(({ code }) => hasConflictMarkers(code));
  const failed = [...unreadable, ...marked.map(withMarkers)];
  if (failed.length > 0 || noCheck) return { files, failed };
  const faults = await syntaxFaults(context, files);
  const broken = files.flatMap(({ file, name }) => {
    const [fault] = faults.get(file) ?? [];
    return fault === undefined ? [] : [{ file, name, error: syntaxError(file, fault) }];
  });
  return { files, failed: broken };
}

const withMarkers = ({ file, name }: PushedFile): FailedFile => ({
  ...{ file, name, reason: 'marks' },
  error: new ConflictError(`${file === '-' ? 'The code' : file} has conflict markers.`, {
    hint: 'Edit the code: keep the lines you want, and remove the conflict markers (<<<<<<<).',
  }),
});

interface KnownBefore {
  /** As this machine saw it before the push. */
  before: SeenVal | undefined;
  /** Where the answer tells no version, the list of the versions is read. */
  readsVersions: boolean;
}

async function outcomeOf(
  api: Api,
  code: string,
  { status, body }: Reply,
  { before, readsVersions }: KnownBefore,
): Promise<Outcome> {
  const id = textAt(body, 'id');
  const told = versionOf(body);
  if (status === 201) return { status: 'created', ...withoutUndefined({ id, version: told }) };
  const isRead = told === undefined && id !== undefined && readsVersions;
  // The write is done. That nothing more is known of it is no failure.
  const versions = isRead ? await versionsOf(api, id).catch(undefinedIf(ValsError)) : undefined;
  const version = told ?? versions?.at(-1)?.number;
  // A val that was there and has one version got none.
  const isOnly = before !== undefined && versions?.length === 1;
  const { status: done, ...facts } = outcomeOfVersion(
    version,
    before?.version ?? (isOnly ? version : undefined),
  );
  const isOther = done === 'unchanged' && !isSameCode(textAt(body, 'code') ?? code, code);
  return { status: isOther ? 'sent' : done, ...withoutUndefined({ id, version }), ...facts };
}

/** An agent that may not publish makes a new val as a private one. A name that is taken after all is refused then. */
async function callFor(context: Context, name: string, code: string): Promise<Call> {
  if (mayPublish(context)) return routes.putVal(name, code);
  const found = await findNamed(name, { ...context.vals, isForWriting: false }).catch(
    undefinedIf(NotFoundError),
  );
  return found === undefined
    ? routes.createVal({ name, code, privacy: 'private' })
    : routes.putVal(name, code);
}

/** Only a version that was known before shows whether there is another one now. Others may have made some in between. */
function outcomeOfVersion(version: number | undefined, known: number | undefined): Outcome {
  if (version === undefined || known === undefined || version < known) return { status: 'sent' };
  if (version === known) return { status: 'unchanged' };
  return { status: 'pushed', ...(version === known + 1 && { versionBefore: known }) };
}
