/**
 * Returns the environment of a process whose clock is off, with the library of Debian's faketime: the command itself
 * would be a second process, which is not killed with the first.
 *
 * @param clock as faketime takes it, such as `-11m`; undefined for the clock of the machine
 */
export const clockEnvironment = (clock: string | undefined): NodeJS.ProcessEnv =>
  clock === undefined
    ? process.env
    : { ...process.env, LD_PRELOAD: '/usr/$LIB/faketime/libfaketime.so.1', FAKETIME: clock }
