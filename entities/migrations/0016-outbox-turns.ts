import { Migration } from '@mikro-orm/migrations'

/** The relay takes rows of each tenant in turn: by this it finds the next tenant, and that tenant's next rows. */
const TURNS = `create index outbox_turns on outbox (tenant_id, next_attempt_at) where started_at is null;`

export class OutboxTurns extends Migration {
  override name = '0016-outbox-turns'

  override up() {
    this.addSql(TURNS)
  }
}
