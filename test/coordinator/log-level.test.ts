import t from 'tap';
import { logLevelOf } from '../../src/coordinator/log-level.ts';
import { createRng } from '../../src/coordinator/random.ts';

t.test('log level: the five names of the interface are known, and any other means INFO', async (t) => {
  const levels = [
    'DEBUG',
    'INFO',
    'WARNING',
    'ERROR',
    'CRITICAL',
    'debug',
    '',
    'constructor',
    '__proto__',
  ].map(logLevelOf);
  t.strictSame(levels, ['debug', 'info', 'warn', 'error', 'fatal', 'info', 'info', 'info', 'info']);
});

t.test('random: numbers are at least 0, below 1, and different', async (t) => {
  const rng = createRng();
  const numbers = Array.from({ length: 1_000 }, rng);
  t.ok(numbers.every((n) => n >= 0 && n < 1));
  t.ok(new Set(numbers).size > 900);
});
