// Many files for vals to push, and the commands that send the same with curl.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { token } from './bench.mjs';

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {import('./service/start.mjs').Service} Service */

/** @param {Bench} bench files of 4 KB for vals, and for curl the bodies that vals makes of them */
export function writeManyFiles({ scratch, sizes }) {
  const folder = join(scratch.folder, 'many-files');
  const bodiesFolder = join(scratch.folder, 'many-bodies');
  mkdirSync(folder, { recursive: true });
  mkdirSync(bodiesFolder, { recursive: true });
  const bodies = [];
  for (let index = 0; index < sizes.files; index += 1) {
    const name = `val${String(index).padStart(4, '0')}`;
    const line = `export const line = 'a line of the code of ${name}, as long as lines of code are';\n`;
    const code = line.repeat(Math.ceil(4096 / line.length)).slice(0, 4096);
    writeFileSync(join(folder, `${name}.ts`), code);
    const body = join(bodiesFolder, `${name}.json`);
    writeFileSync(body, JSON.stringify({ name, code }));
    bodies.push(body);
  }
  return { folder, bodies };
}

const headers = ['Content-Type: application/json', `Authorization: Bearer ${token}`];
/** @param {Service} service */
const urlOf = ({ baseUrl }) => `${baseUrl}/v1/vals`;

/**
 * One curl that sends all of them, eight at a time, on connections that it keeps.
 * @param {Bench} bench
 * @param {Service} service
 * @param {readonly string[]} bodies
 * @param {string} curl
 */
export function parallelCurl(bench, service, bodies, curl) {
  const transfers = bodies.map((body) =>
    [
      `url = "${urlOf(service)}"`,
      'request = "PUT"',
      ...headers.map((header) => `header = "${header}"`),
      `data-binary = "@${body}"`,
      'output = "/dev/null"',
      'fail',
      'no-progress-meter',
    ].join('\n'),
  );
  const config = join(bench.scratch.folder, 'curl.config');
  writeFileSync(config, `${transfers.join('\nnext\n')}\n`);
  return bench.other(curl, ['--parallel', '--parallel-max', '8', '--config', config]);
}

/**
 * A curl for each of them, eight at a time: what scripts do.
 * @param {Bench} bench
 * @param {Service} service
 * @param {readonly string[]} bodies
 * @param {{ curl: string, xargs: string }} programs
 */
export function curlForEach(bench, service, bodies, { curl, xargs }) {
  const list = join(bench.scratch.folder, 'bodies.list');
  writeFileSync(list, bodies.map((body) => `@${body}\n`).join(''));
  const options = headers.flatMap((header) => ['-H', header]);
  const each = ['-sS', '--fail', '-o', '/dev/null', '-X', 'PUT', ...options, urlOf(service), '--data-binary'];
  return bench.other(xargs, ['-a', list, '-P8', '-n1', curl, ...each]);
}
