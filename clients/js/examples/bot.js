// node bot.js http://localhost:8000 TABLE [NAME] - sits down and plays any game at random.
import WebSocket from 'ws';

import { connect, randomAction } from '@facedown/client';

const [url, id, name = 'Random'] = process.argv.slice(2);
if (!url || !id) {
  console.error('usage: node bot.js URL TABLE [NAME]');
  process.exit(2);
}

const client = connect(url, { WebSocket });
const { token } = await client.sit(id, { name, entropy: null });
const table = client.attach(id, { token });

async function play() {
  if (table.state !== 'live' || table.unanswered > 0) return;
  if (table.over) {
    console.log(JSON.stringify(table.view?.result ?? null));
    client.close();
  } else if (table.mayAct) {
    await table.act(randomAction(table.actions)).catch((error) => console.error(error.message));
    play();
  }
}

table.on('change', play);
table.on('detached', () => client.close());
await table.ready;
