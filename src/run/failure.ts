import { RunFailedError, type ValsError } from '../errors.ts';
import { shell } from '../lib/shell-command.ts';
import { allowAllHint, indexInCode, packageOf, placeAt, placeOfImport } from './imports.ts';
import type { Ending } from './process.ts';
import type { Thrown } from './protocol.ts';
import type { Sources } from './sources.ts';
import type { Source } from './transpile.ts';

export function thrownFailure(name: string, thrown: Thrown, sources: Sources): ValsError {
  const { failure, refusedModule, failedImport, text } = thrown;
  const found = failure === undefined ? undefined : sources.failure(failure);
  if (found !== undefined) return found;
  const source = refusedModule === undefined ? undefined : sources.find(refusedModule);
  if (source !== undefined) return refusedByV8(source, text);
  if (failedImport !== undefined) return importFailure(failedImport, text, sources);
  const frames = ownFrames(thrown.stack, sources);
  const [first = '', ...others] = text.split('\n');
  const whole = [text, ...frames.map(({ line }) => line)].join('\n');
  const isWholeInMessage = others.length === 0 && frames.length <= 1;
  const place = frames[0] === undefined ? '' : ` (${frames[0].place})`;
  return new RunFailedError(
    `${name} failed: ${first.replace(/\.$/, '')}${place}.`,
    {
      body: whole,
      ...(thrown.isDeniedBySandbox && { hint: deniedHint }),
    },
    isWholeInMessage ? [] : whole.split('\n'),
  );
}

const deniedHint = `A val may read only its own code and packages. It cannot write files or start programs. ${allowAllHint}`;

function refusedByV8(source: Source, text: string): RunFailedError {
  const problem = text.replace(/^SyntaxError: /, '').replace(/\.$/, '');
  const literal = /^Invalid regular expression: (\/.*\/)\w*: /.exec(problem)?.[1];
  const index = literal === undefined ? -1 : indexInCode(literal, source);
  const at = index === -1 ? source.name : placeAt(source, index);
  const what = text.startsWith('SyntaxError: ') ? 'has a syntax error' : 'cannot be compiled';
  return new RunFailedError(`${at} ${what}: ${problem}.`, {
    hint: 'Fix the code, then run the val again.',
  });
}

interface Frame {
  place: string;
  line: string;
}

function ownFrames(stack: string, sources: Sources): Frame[] {
  return stack.split('\n').flatMap((text) => {
    // Parses in two steps, because one expression for the whole line would take quadratic time on a hostile line.
    const [, line = '', position] = /^\s+at (.*):(\d+:\d+)\)?$/.exec(text) ?? [];
    const start = line.search(/(?<=^| \()(?:file|val):/);
    const source = start === -1 ? undefined : sources.find(line.slice(start));
    if (source === undefined) return [];
    const place = `${source.name}:${position}`;
    const called = line
      .slice(0, start)
      .replace(/ \($/, '')
      .replace(/^(async )?(?:Module|Object)\./, '$1');
    return { place, line: called ? `    at ${called} (${place})` : `    at ${place}` };
  });
}

const fixTheImport = 'Fix the import, then run the val again.';

function importFailure(
  { specifier, from, code }: NonNullable<Thrown['failedImport']>,
  text: string,
  sources: Sources,
): RunFailedError {
  const importer = sources.find(from);
  const place = importer === undefined ? '' : placeOfImport(specifier, importer);
  const { name, version } = packageOf(specifier);
  const failed = (problem: string, hint: string) =>
    new RunFailedError(`${importer?.name ?? 'The val'} imports ${specifier}, ${problem}${place}.`, { hint });
  if (!/^[#.]|^\w+:/.test(name) && !sources.isInstalled(name, from)) {
    return failed('and no such package is installed', installHint(name + version));
  }
  if (code === 'ERR_ACCESS_DENIED') return failed('which the val is not allowed to read', deniedHint);
  const [reason = ''] = text.split('\n');
  const problem = reason.replace(/^\w+: /, '').replace(/\.$/, '');
  return failed(`which cannot be loaded: ${problem}`, fixTheImport);
}

/**
 * For npm, words such as `a@.` and `a.tgz` are folders and files. It would run the scripts of a cloned folder. `shell`
 * would make a path of a word that begins with a dash, and older npm takes `a.tar-gz` for a file too.
 */
function installHint(word: string): string {
  const isInRegistry = /^(?:@[\w-][\w.-]*\/)?\w[\w.-]*(?:@[~^]?\w[\w.+-]*)?$/.test(word);
  return isInRegistry && !/\.(?:tgz|tar|tar.gz)$/i.test(word)
    ? `To install the package, run ${shell`npm install ${word}`}.`
    : fixTheImport;
}

export function endingFailure(
  name: string,
  { code, signal, startError, watchdogError }: Ending,
): RunFailedError {
  if (startError !== undefined) {
    return new RunFailedError(`${name} could not be started: ${startError.message}.`, { cause: startError });
  }
  if (watchdogError !== undefined) {
    return new RunFailedError(
      `${name} was not run, because its watchdog could not be started: ${watchdogError.message}.`,
      {
        hint: 'Check that you can run /bin/sh, and how many processes you may start (`ulimit -u`).',
        cause: watchdogError,
      },
    );
  }
  if (code !== null) {
    return new RunFailedError(`${name} ended itself with exit code ${code}.`, {
      hint: 'The output of the val may say why.',
    });
  }
  const isMemory = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL';
  if (isMemory) {
    return new RunFailedError(`${name} ran out of memory, or made Node stop (${signal}).`, {
      hint: 'A val may use 512 MB of memory, and cannot change flags of V8. To remove these limits, run `vals run --allow-all <val>`.',
    });
  }
  return new RunFailedError(`${name} was ended by ${signal}.`, {
    hint: 'The val ended itself, or another program ended it. The system ends processes when memory runs out.',
  });
}

export const neverFinished = (name: string): RunFailedError =>
  new RunFailedError(
    `${name} never finished: it waits for a promise, and nothing is left that could resolve the promise.`,
    {
      hint: 'Look for a promise that is never resolved.',
    },
  );

export const tookTooLong = (name: string, seconds: number): RunFailedError =>
  new RunFailedError(`${name} took longer than ${seconds} s and was ended.`, {
    hint: 'To give the val more time, run `vals run --max-time <seconds> <val>`.',
  });

export const brokePipe = (name: string): RunFailedError =>
  new RunFailedError(`${name} was ended: it wrote to file descriptor 3, which is reserved.`, {
    hint: 'Write to stdout or stderr instead.',
  });

export const tooManyFailedImports = (name: string): RunFailedError =>
  new RunFailedError(`${name} was ended: too many of its imports failed.`, {
    hint: 'Fix the imports, then run the val again.',
  });

export const invalidAnswer = (name: string): RunFailedError =>
  new RunFailedError(`${name} answered with a status or a header that HTTP does not allow.`, {
    hint: 'Return a Response from the default export.',
  });

export const brokenConnection = (name: string, ending: Ending | undefined): RunFailedError =>
  ending === undefined
    ? new RunFailedError(`${name} closed the connection before it answered.`, {
        hint: 'Return a Response from the default export.',
      })
    : endingFailure(name, ending);
