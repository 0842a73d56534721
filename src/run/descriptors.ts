import { closeSync, existsSync, openSync, readdirSync } from 'node:fs';
import { devNull } from 'node:os';
import { LocalError } from '../errors.ts';
import { tooFewFiles } from '../lib/open-files.ts';
import { errnoOf } from '../lib/system.ts';

const firstDescriptor = 4;
const mostDescriptors = 10_000;
const listOfDescriptors = '/dev/fd';

/**
 * A child process inherits the files that a shell opened for vals, for example with `exec 200>lock`. `start` must give
 * `stdio` to the child as descriptors 4, 5 and so on, so that /dev/null replaces these files.
 */
export function withoutInheritedFiles<T>(start: (stdio: number[]) => T): T {
  if (!existsSync(listOfDescriptors)) return start([]);
  const highest = Math.max(...readdirSync(listOfDescriptors).map(Number));
  if (highest > mostDescriptors) throw tooHigh(highest);
  const empty = openSync(devNull, 'r');
  try {
    return start(Array.from({ length: Math.max(0, highest + 1 - firstDescriptor) }, () => empty));
  } catch (error) {
    // The limit on open files may have been lowered after the descriptor was opened.
    throw errnoOf(error) === 'EINVAL' ? tooFewFiles('running a val', error) : error;
  } finally {
    closeSync(empty);
  }
}

const tooHigh = (descriptor: number): LocalError =>
  new LocalError(
    `File descriptor ${descriptor} is open, and vals cannot close this descriptor for the val.`,
    {
      hint: `Close all descriptors above ${mostDescriptors} before you run the val.`,
    },
  );
