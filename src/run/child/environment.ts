import { AccessDenied, replace } from './deny.ts';

/**
 * A val must not change the environment of its process, because libraries of the system read the files that some variables
 * name: with RESOLV_HOST_CONF, glibc prints the lines of any file. So the val changes a copy.
 */
export function separateEnvironment(): void {
  const original = process.env;
  // A new TZ is set in `original` too, because Node takes its time zone from there.
  process.env = new Proxy(
    { ...original },
    {
      defineProperty(copy, name, descriptor) {
        if (!('value' in descriptor)) return Reflect.defineProperty(copy, name, descriptor);
        const value = `${descriptor.value}`;
        if (name === 'TZ') original.TZ = value;
        return Reflect.defineProperty(copy, name, { ...descriptor, value });
      },
      deleteProperty(copy, name) {
        if (name === 'TZ') delete original.TZ;
        return Reflect.deleteProperty(copy, name);
      },
    },
  );
  replace(process, 'loadEnvFile', () => {
    throw new AccessDenied('Environment');
  });
}
