import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { newKey } from '../../src/certificates/authority.ts';
import {
  checkKeyRequest,
  isAuthorityProven,
  makeKeyRequest,
  proveAuthority,
} from '../../src/certificates/request.ts';

const nonce = Buffer.alloc(32, 7);

t.test('requests: a proof of the authority holds for one join token, nonce and certificate', async (t) => {
  const proof = proveAuthority('token-of-the-cluster', nonce, 'PEM');
  t.ok(isAuthorityProven('token-of-the-cluster', nonce, { certificate: 'PEM', proof }));
  t.notOk(isAuthorityProven('another-token-here', nonce, { certificate: 'PEM', proof }));
  t.notOk(isAuthorityProven('token-of-the-cluster', Buffer.alloc(32, 8), { certificate: 'PEM', proof }));
  t.notOk(isAuthorityProven('token-of-the-cluster', nonce, { certificate: 'OTHER', proof }));
  t.notOk(isAuthorityProven('token-of-the-cluster', nonce, { certificate: 'PEM', proof: Buffer.alloc(0) }));
});

t.test('requests: a key is accepted only if its owner has signed it for the same name', async (t) => {
  const key = newKey();
  const request = makeKeyRequest('host-1', key);
  t.ok(checkKeyRequest(request)?.equals(createPublicKey(key)));
  t.equal(checkKeyRequest({ ...request, nodeName: 'host-2' }), undefined, 'signed for another name');
  const { publicKey } = makeKeyRequest('host-1', newKey());
  t.equal(checkKeyRequest({ ...request, publicKey }), undefined, 'signed with another key');
});

t.test('requests: a malformed key, or one of another kind, is refused', async (t) => {
  const request = makeKeyRequest('host-1', newKey());
  t.equal(checkKeyRequest({ ...request, publicKey: Buffer.from('nonsense') }), undefined);
  t.equal(checkKeyRequest({ ...request, signature: Buffer.alloc(0) }), undefined);
  const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
  t.equal(checkKeyRequest(makeKeyRequest('host-1', weak)), undefined);
  const curve = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).privateKey;
  t.equal(checkKeyRequest(makeKeyRequest('host-1', curve)), undefined);
});
