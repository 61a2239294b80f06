import t from 'tap';
import { fullReference, isOnThisMachine, parseReference } from '../../../src/domain/task/image-reference.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;

t.test('image reference: short names are completed as engines do', async (t) => {
  const full = (text: string) => {
    const reference = parseReference(text);
    return reference && fullReference(reference);
  };
  t.equal(full('busybox'), 'docker.io/library/busybox:latest');
  t.equal(full('busybox:1.36'), 'docker.io/library/busybox:1.36');
  t.equal(full('owner/tool'), 'docker.io/owner/tool:latest');
  t.equal(full('localhost/tool'), 'localhost/tool:latest');
  t.equal(full('host:5000/a/b/c:T_1.x'), 'host:5000/a/b/c:T_1.x');
  t.equal(full(`host.example/a@${DIGEST}`), `host.example/a@${DIGEST}`);
  t.equal(full(`host.example/a:1@${DIGEST}`), `host.example/a@${DIGEST}`, 'the digest replaces the tag');
  t.equal(full('[::1]:5000/a'), '[::1]:5000/a:latest');
});

t.test('image reference: a text that is not a reference is refused', async (t) => {
  const wrong = [
    '',
    'Not A Reference',
    'UPPER/case',
    'a b',
    'a:',
    'a:b:c',
    '-a',
    '--authfile=/etc/shadow',
    'a@sha256:short',
    'a@md5:00',
    `a@${DIGEST}@${DIGEST}`,
    'host:123456/a',
    '/a',
    'a//b',
    'a/../b',
    `${'a'.repeat(600)}`,
    'a\n',
  ];
  for (const text of wrong) t.equal(parseReference(text), undefined, JSON.stringify(text));
});

t.test('image reference: only loopback addresses count as registries of this machine', async (t) => {
  const isNear = (registry: string) => isOnThisMachine({ registry });
  for (const near of ['localhost', 'localhost:5000', '127.0.0.1:5000', '127.8.8.8', '[::1]:5000'])
    t.ok(isNear(near), near);
  for (const far of [
    'docker.io',
    '127.0.0.1.example.com',
    'localhost.example.com:80',
    '128.0.0.1',
    '[::2]:1',
  ])
    t.notOk(isNear(far), far);
});
