import { type Encryption, encryptionWith } from '../../../src/store/secret-key/encryption.ts';
import { KeyRing, secretKey } from '../../../src/store/secret-key/key-ring.ts';

/** Encryption as a coordinator does it that has this one key. */
export function encryptionOf(key: Buffer): Encryption {
  return encryptionWith(new KeyRing([secretKey(key)]));
}
