import { readFileSync, statfsSync } from 'node:fs';

const place = '/dev/shm';
const roomBytes = 4 * 2 ** 30;

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
