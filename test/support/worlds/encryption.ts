import { type Encryption, encryptionWith } from '../../../src/store/secret-key/encryption.ts';
import { KeyRing, secretKey } from '../../../src/store/secret-key/key-ring.ts';

/** The encryption of a coordinator that has only this key. */
export function encryptionOf(key: Buffer): Encryption {
  return encryptionWith(new KeyRing([secretKey(key)]));
}
