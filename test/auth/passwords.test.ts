/** Hashes of passwords. */
import t from 'tap';
import { createPasswords } from '../../src/auth/passwords.ts';

t.test('passwords: a hash has its own salt and cost, and matches only its password', async (t) => {
  const passwords = createPasswords(4);
  const [one, two] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
  t.not(one, two);
  t.match(one, /^scrypt\$4\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  t.equal(await passwords.matches('correct horse', one), true);
  t.equal(await passwords.matches('correct horse', two), true);
  for (const wrong of ['', 'Correct horse', 'correct horse ', 'correct\u0000horse', '\ud800']) {
    t.equal(await passwords.matches(wrong, one), false, JSON.stringify(wrong));
  }
  t.equal(await passwords.matches('e\u0301tat de choses', await passwords.hash('\u00e9tat de choses')), true);
  t.equal(await createPasswords(6).matches('correct horse', one), true, 'a hash of another cost is valid');
});

t.test('passwords: a malformed hash matches nothing', async (t) => {
  const passwords = createPasswords(4);
  const hash = await passwords.hash('x');
  for (const stored of [
    null,
    '',
    'x',
    'scrypt$4$8$3$$',
    hash.slice(0, -1),
    `${hash}x`,
    hash.replace('scrypt', 'none'),
  ]) {
    t.equal(await passwords.matches('x', stored), false, `${stored}`);
  }
});

t.test('passwords: two are hashed at once, 64 wait, and further ones are refused', async (t) => {
  const passwords = createPasswords(4);
  const results = await Promise.allSettled(Array.from({ length: 100 }, () => passwords.hash('x')));
  const refused = results.filter((result) => result.status === 'rejected');
  t.equal(refused.length, 100 - 2 - 64);
  for (const { reason } of refused) t.match(reason, { code: 'OVERLOADED' });
  t.ok(await passwords.hash('x'), 'there is room again');
});
