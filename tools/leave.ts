// Loaded before each test file by tools/run-tests.ts. A process whose tests are over and whose event loop is empty is done, but
// Node then takes its environment apart and, rarely, spins there for ever on a request of a connection that is long closed
// (`Environment::CleanupHandles`, seen by a debugger). What a test leaves open still keeps its loop alive and is found.
process.once('beforeExit', () => {
  // Registered now, it comes after the test runner's own.
  process.on('exit', (code) => process.exit(code));
});
