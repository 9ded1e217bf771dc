import { Migration } from '@mikro-orm/migrations'

const KEY_TYPES = `
alter table keys drop constraint keys_key_type_check;
alter table keys add constraint keys_key_type_check
  check (key_type in ('ed25519', 'p256', 'p384', 'bls12381g2', 'x25519'));`

export class KeysP384 extends Migration {
  override name = '0095-keys-p384'

  override up() {
    this.addSql(KEY_TYPES)
  }
}
