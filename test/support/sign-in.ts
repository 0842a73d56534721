import { expect } from 'vitest';
import { type RunResult, run } from './program.ts';

/** Fails the test if the service does not accept the token. */
export async function signIn(
  { home, token }: { home: string; token: string },
  baseUrl: string,
): Promise<RunResult> {
  const args = ['login', '--base-url', baseUrl, '--with-token', '--json'];
  const result = await run(args, { home, input: token });
  expect(result).toMatchObject({ exit: 0 });
  return result;
}
