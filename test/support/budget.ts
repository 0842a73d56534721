// How often a random test is repeated: a little each time, and much more in `npm run test:long`.

export const isLong = process.env.VALS_TEST_LONG === '1';

export const budget = (usual: number): number => (isLong ? 20 * usual : usual);
