import type { ChildProcess } from 'node:child_process';
import { isLong } from './cases.ts';

export type Signal = 'SIGINT' | 'SIGTERM';
export const exits: Record<Signal, number> = { SIGINT: 130, SIGTERM: 143 };
const signals = Object.keys(exits) as Signal[];
export const oneOf = (signal: Signal) => (isLong ? signals : [signal]);

export function isGone(group: ChildProcess): boolean {
  try {
    process.kill(-(group.pid ?? 0), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

export interface ErrorObject {
  kind: string;
  exit: number;
  message: string;
}

export const errorIn = (stderr: string): ErrorObject =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
