// Why a run failed, told in the val's own lines: what it threw, or how its process ended.
import { RunFailedError } from '../errors.ts';
import type { Ending } from './process.ts';
import type { Thrown } from './protocol.ts';
import { packageOf, placeOf, type Sources, syntaxError } from './sources.ts';
import { findSyntaxProblem } from './transpile.ts';

export function thrownFailure(name: string, thrown: Thrown, sources: Sources): RunFailedError {
  const { failure, refused, importing, text } = thrown;
  const found = failure === undefined ? undefined : sources.failure(failure);
  if (found !== undefined) return found;
  const source = refused === undefined ? undefined : sources.find(refused);
  if (source !== undefined) {
    return syntaxError(source, text.replace(/^SyntaxError: /, ''), findSyntaxProblem(source));
  }
  if (importing !== undefined) return importFailure(importing, text, sources);
  const frames = ownFrames(thrown.stack, sources);
  const [first = '', ...others] = text.split('\n');
  const whole = [text, ...frames.map(({ line }) => line)].join('\n');
  const place = frames[0] === undefined ? '' : ` (${frames[0].place})`;
  return new RunFailedError(
    `${name} failed: ${first.replace(/\.$/, '')}${place}.`,
    {
      body: whole,
      ...(thrown.isDenied && { hint: deniedHint }),
    },
    // One line with its place says it all.
    others.length > 0 || frames.length > 1 ? whole.split('\n') : [],
  );
}

const deniedHint =
  'A val may read its own folder and packages, and no more; --allow-all lets it do all that you may.';

interface Frame {
  place: string;
  line: string;
}

/** The frames of a stack that are in the val's code, at their places in the source. */
function ownFrames(stack: string, sources: Sources): Frame[] {
  return stack.split('\n').flatMap((text) => {
    const match = /^\s+at (?:(.*?) \()?((?:file|val|data):.*):(\d+):(\d+)\)?$/.exec(text);
    const [, , id = '', line, column] = match ?? [];
    const place = match && sources.place(id, { line: Number(line), column: Number(column) });
    if (!match || !place) return [];
    const called = match[1]?.replace(/^(async )?(?:Module|Object)\./, '$1');
    return { place, line: called ? `    at ${called} (${place})` : `    at ${place}` };
  });
}

function importFailure(
  { specifier, from, code }: NonNullable<Thrown['importing']>,
  text: string,
  sources: Sources,
): RunFailedError {
  const importer = sources.find(from);
  const place = importer === undefined ? '' : placeOf(specifier, importer);
  const { name, version } = packageOf(specifier);
  const isAbsent = !/^[#.]|^\w+:/.test(name) && !sources.isInstalled(name, from);
  const reason = isAbsent
    ? 'and no such package is installed'
    : code === 'ERR_ACCESS_DENIED'
      ? 'which it may not read'
      : `which cannot be loaded: ${text
          .split('\n')[0]
          ?.replace(/^\w+: /, '')
          .replace(/\.$/, '')}`;
  return new RunFailedError(`${importer?.name ?? 'The val'} imports ${specifier}, ${reason}${place}.`, {
    hint: isAbsent
      ? `\`npm install ${name}${version}\` beside the val installs it.`
      : code === 'ERR_ACCESS_DENIED'
        ? deniedHint
        : 'Mend the import, then run it again.',
  });
}

/** Of a process that went without a word. */
export function endingFailure(name: string, { code, signal, problem }: Ending): RunFailedError {
  if (problem !== undefined) {
    return new RunFailedError(`${name} could not be started: ${problem.message}.`, { cause: problem });
  }
  if (code !== null) {
    return new RunFailedError(`${name} ended itself with exit code ${code}.`, {
      hint: 'What it printed may say why.',
    });
  }
  const memory = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL';
  return new RunFailedError(
    memory ? `${name} ran out of memory, or made Node stop (${signal}).` : `${name} was ended by ${signal}.`,
    {
      hint: memory
        ? 'A val has 512 MB, and with --allow-all as much as Node takes.'
        : 'It ended itself, or another program did, for instance the system where memory ran out.',
    },
  );
}

export const neverFinished = (name: string): RunFailedError =>
  new RunFailedError(`${name} never finished: it waits for something that nothing is left to bring.`, {
    hint: 'Look for a promise that is never settled.',
  });

export const tookTooLong = (name: string, seconds: number): RunFailedError =>
  new RunFailedError(`${name} took longer than ${seconds} s and was ended.`, {
    hint: '--max-time <seconds> gives it more.',
  });
