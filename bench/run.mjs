// Runs commands to their end: for their time, for what they print, or at a terminal.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * @typedef {object} Command
 * @property {string} file
 * @property {readonly string[]} args
 * @property {Record<string, string>} env the whole environment
 * @property {string} cwd
 */

/**
 * With nothing to read and its output into nothing.
 * @param {Command} command
 * @returns {Promise<number>} milliseconds from its start to its end
 */
export async function timeOf({ file, args, env, cwd }) {
  // A file for its complaints: a pipe would be one more thing that the measured command has to open.
  const complaints = join(cwd, '.stderr');
  const stderr = openSync(complaints, 'w');
  try {
    const start = performance.now();
    const exit = await exitOf(spawn(file, args, { env, cwd, stdio: ['ignore', 'ignore', stderr] }));
    const ms = performance.now() - start;
    if (exit !== 0) throw commandFailed(file, args, exit, readFileSync(complaints, 'utf8'));
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
 * With a pseudo-terminal as its input, output and errors.
 * @param {Command} command
 * @returns {Promise<number>} milliseconds
 */
export async function timeAtTerminal({ file, args, env, cwd }) {
  const { spawn } = await import('@lydell/node-pty');
  const start = performance.now();
  const terminal = spawn(file, [...args], {
    cols: 120,
    rows: 40,
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
  });
  let screen = '';
  terminal.onData((shown) => {
    screen += shown;
  });
  const { exitCode } = await new Promise((resolve) => terminal.onExit(resolve));
  const ms = performance.now() - start;
  if (exitCode !== 0) throw commandFailed(file, args, exitCode, screen);
  return ms;
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
 * @param {string} complaints
 */
function commandFailed(file, args, exit, complaints) {
  return new Error(`${[file, ...args].join(' ')} ended with ${exit}: ${complaints.trim()}`);
}
