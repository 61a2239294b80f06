import { randomBytes } from 'node:crypto';
import t from 'tap';
import { KeyRing, secretKey } from '../../src/store/key-ring.ts';
import { keyIdOf, sealedPrefix, sealOf, sealWith } from '../../src/store/encryption.ts';

const keyOf = (byte: number) => secretKey(Buffer.alloc(32, byte));

t.test('sealing: what was sealed is opened with the same key and purpose', async (t) => {
  const key = randomBytes(32);
  const sealed = sealOf(key).seal('pässword', 'job_type/1');

  t.equal(sealOf(key).open(sealed, 'job_type/1'), 'pässword');
  t.notOk(sealed.includes('pässword'));
});

t.test('sealing: another purpose, another key or changed bytes open nothing and show nothing', async (t) => {
  const seal = sealOf(randomBytes(32));
  const sealed = seal.seal('canary', 'job_type/1');
  const other = sealOf(randomBytes(32));
  const changed = Array.from(sealed, (_, index) => {
    const copy = Buffer.from(sealed);
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  });

  for (const open of [
    () => seal.open(sealed, 'job_type/2'),
    () => seal.open(Buffer.of(1, 2, 3), 'job_type/1'),
    () => seal.open(Buffer.of(2, 2, 3), 'job_type/1'),
    () => seal.open(Buffer.of(), 'job_type/1'),
    () => other.open(sealed, 'job_type/1'),
    ...changed.map((bytes) => () => seal.open(bytes, 'job_type/1')),
  ]) {
    t.throws(open, { code: 'SECRET_UNREADABLE' });
  }
});

t.test('sealing: a secret is sealed differently each time', async (t) => {
  const seal = sealOf(randomBytes(32));

  t.not(seal.seal('same', 'x').toString('hex'), seal.seal('same', 'x').toString('hex'));
});

t.test(
  'sealing: a ring opens what any of its keys sealed, and seals with the one that it is told',
  async (t) => {
    const [one, two] = [keyOf(1), keyOf(2)];
    const ring = new KeyRing([one]);
    const seal = sealWith(ring);
    const before = seal.seal('text', 'x');
    ring.learn([two]);
    t.equal(keyIdOf(seal.seal('text', 'x')), one.id, 'a key that is learned does not seal yet');
    ring.use(two.id);
    const after = seal.seal('text', 'x');

    t.equal(keyIdOf(before), one.id);
    t.equal(keyIdOf(after), two.id);
    t.ok(after.toString('base64').startsWith(sealedPrefix(two.id).toString('base64')));
    t.strictSame([seal.open(before, 'x'), seal.open(after, 'x')], ['text', 'text']);
    t.throws(() => sealOf(one.key).open(after, 'x'), {
      code: 'SECRET_UNREADABLE',
      message: new RegExp(two.id),
    });
  },
);

t.test('sealing: with a key that is not here nothing is sealed, and the refusal names it', async (t) => {
  const ring = new KeyRing([keyOf(1)]);
  const sealed = sealWith(ring).seal('text', 'x');
  ring.use(keyOf(2).id);

  t.throws(() => sealWith(ring).seal('text', 'x'), {
    code: 'SECRET_UNREADABLE',
    message: new RegExp(keyOf(2).id),
  });
  t.equal(sealWith(ring).open(sealed, 'x'), 'text');
});

t.test(
  'sealing: what an earlier version sealed, without the id of its key, is opened by any that fits',
  async (t) => {
    const ring = new KeyRing([keyOf(1), keyOf(2)]);
    ring.use(keyOf(2).id);
    const sealed = sealWith(ring).seal('text', 'x');
    const nameless = Buffer.concat([Buffer.of(1), sealed.subarray(6)]);

    t.equal(sealWith(ring).open(nameless, 'x'), 'text');
    t.equal(keyIdOf(nameless), undefined);
    t.throws(() => sealWith(ring).open(nameless, 'y'), { code: 'SECRET_UNREADABLE' });
    t.throws(() => sealOf(keyOf(3).key).open(nameless, 'x'), { code: 'SECRET_UNREADABLE' });
  },
);
