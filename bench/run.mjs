import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * @typedef {object} Command
 * @property {string} file
 * @property {readonly string[]} args
 * @property {Record<string, string>} env
 * @property {string} cwd
 */

/**
 * @param {Command} command
 * @returns {Promise<number>} milliseconds
 */
export async function timeOf({ file, args, env, cwd }) {
  // A write to a file slows the measured command less than a write to a pipe.
  const errors = join(cwd, '.stderr');
  const stderr = openSync(errors, 'w');
  try {
    const start = performance.now();
    const exit = await exitOf(spawn(file, args, { env, cwd, stdio: ['ignore', 'ignore', stderr] }));
    const ms = performance.now() - start;
    if (exit !== 0) throw commandFailed(file, args, exit, readFileSync(errors, 'utf8'));
    return ms;
  } finally {
    closeSync(stderr);
  }
}

/**
 * @param {Command & { input?: string }} command
 * @returns {Promise<{ stdout: string, ms: number }>}
 */
export async function outputOf({ file, args, env, cwd, input = '' }) {
  const start = performance.now();
  const child = spawn(file, args, { env, cwd });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  const ms = performance.now() - start;
  if (exit !== 0) throw commandFailed(file, args, exit, stderr);
  return { stdout, ms };
}

/**
 * Each measured program writes its peak memory when it ends. On Linux, maxRSS includes the memory of the parent
 * process, so the program reads VmHWM instead.
 */
const notePeakMemory = `
const { readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
process.once('exit', () => {
  let peak;
  try {
    peak = /^VmHWM:\\s*(\\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {}
  writeFileSync(process.env.PEAK_MEMORY_FILE ?? '', String(peak ?? process.resourceUsage().maxRSS));
});`;

/**
 * @param {Command} command
 * @returns {Promise<number>}
 */
export async function peakMegabytesOf({ args, env, cwd, ...command }) {
  const folder = mkdtempSync(join(tmpdir(), 'vals-peak-'));
  const [note, noted] = [join(folder, 'note.cjs'), join(folder, 'peak')];
  try {
    writeFileSync(note, notePeakMemory);
    await timeOf({
      ...command,
      args: ['--require', note, ...args],
      env: { ...env, PEAK_MEMORY_FILE: noted },
      cwd,
    });
    return (Number(readFileSync(noted, 'utf8')) * 1024) / 1e6;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function exitOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
}

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {unknown} exit
 * @param {string} stderr
 */
function commandFailed(file, args, exit, stderr) {
  return new Error(`${[file, ...args].join(' ')} ended with ${exit}: ${stderr.trim()}`);
}

/** @typedef {{ medianMs: number, fastestMs: number, runs: number }} Timing */

/**
 * @template {Record<string, (() => Promise<number>) | undefined>} Timed
 * @param {Timed} timed
 * @param {{ runs: number, warmUps: number }} rounds
 * @returns {Promise<{ [Name in keyof Timed]: undefined extends Timed[Name] ? Timing | undefined : Timing }>}
 */
export async function interleaved(timed, { runs, warmUps }) {
  const entries = Object.entries(timed).flatMap(([name, time]) => (time ? [{ name, time }] : []));
  const samples = new Map(entries.map(({ name }) => [name, /** @type {number[]} */ ([])]));
  for (let round = -warmUps; round < runs; round += 1) {
    // The order is random, so that no command always runs after the same other command.
    for (const { name, time } of shuffled(entries)) {
      const ms = await time();
      if (round >= 0) samples.get(name)?.push(ms);
    }
  }
  const timings = Object.fromEntries([...samples].map(([name, times]) => [name, timingOf(times)]));
  return /** @type {any} */ (timings);
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @returns {Item[]}
 */
const shuffled = (items) =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);

/** @param {readonly number[]} times @returns {Timing} */
function timingOf(times) {
  const toMicroseconds = (/** @type {number} */ ms) => Math.round(ms * 1_000) / 1_000;
  return {
    medianMs: toMicroseconds(median(times)),
    fastestMs: toMicroseconds(Math.min(...times)),
    runs: times.length,
  };
}

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
