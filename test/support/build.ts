// Builds the program once before all tests, so that no test runs an old build.
import { execa } from 'execa';

export async function setup(): Promise<void> {
  await execa('node', ['esbuild.config.mjs']);
}
