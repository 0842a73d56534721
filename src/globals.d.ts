/** The package's version, set by the build. */
declare const VERSION: string;
