import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { dereference, publicKeyOf, toJwk } from '../../../protocol/dids/index.ts'
import { resolveDidKey } from '../../../protocol/dids/key.ts'
import { binaryCache } from '../../../stack/parts/temporal.binary.ts'

const run = promisify(execFile)

/** The library of another author, and its version. */
const LIBRARY = 'github.com/veraison/go-cose@v1.3.0'

/** Verifies a COSE_Sign1 with a P-256 key; all are in hex on a line of their own. Prints the kid and the payload. */
const PROGRAM = `package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	_ "crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"os"

	"github.com/veraison/go-cose"
)

func read() []byte {
	var text string
	if _, err := fmt.Scanln(&text); err != nil {
		fail(err)
	}
	bytes, err := hex.DecodeString(text)
	if err != nil {
		fail(err)
	}
	return bytes
}

func fail(err error) {
	fmt.Println("refused:", err)
	os.Exit(1)
}

func main() {
	x, y := new(big.Int).SetBytes(read()), new(big.Int).SetBytes(read())
	key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: x, Y: y}
	verifier, err := cose.NewVerifier(cose.AlgorithmES256, key)
	if err != nil {
		fail(err)
	}
	var message cose.Sign1Message
	if err := message.UnmarshalCBOR(read()); err != nil {
		fail(err)
	}
	if err := message.Verify(nil, verifier); err != nil {
		fail(err)
	}
	kid, _ := message.Headers.Protected[cose.HeaderLabelKeyID].([]byte)
	fmt.Println(hex.EncodeToString(kid))
	fmt.Println(hex.EncodeToString(message.Payload))
}
`

/** The program, built once for a machine. */
async function build(): Promise<string> {
  const cache = dirname(binaryCache(process.env))
  const name = createHash('sha256').update(LIBRARY).update(PROGRAM).digest('hex').slice(0, 12)
  const path = join(cache, `go-cose-${name}`)
  if (existsSync(path)) return path
  await mkdir(cache, { recursive: true })
  const cwd = await mkdtemp(join(cache, '.build-go-cose-'))
  try {
    await writeFile(join(cwd, 'main.go'), PROGRAM)
    const go = (...args: string[]) =>
      run('go', args, { cwd, timeout: 240_000, env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' } })
    await go('mod', 'init', 'check')
    await go('get', LIBRARY)
    await go('build', '-o', 'check', '.')
    await rename(join(cwd, 'check'), path)
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
  return path
}

let built: Promise<string> | undefined

/** What go-cose says of a COSE_Sign1 of a did:key: the kid and the payload of a message that verifies, or why it does not. */
export async function verifyWithGoCose(
  did: string,
  message: Uint8Array,
): Promise<{ kid: string; payload: Buffer } | string> {
  built ??= build()
  const url = `${did}#${did.slice('did:key:'.length)}`
  const { x, y } = toJwk(publicKeyOf(dereference(resolveDidKey(did), url, 'assertionMethod').method))
  const child = spawn(await built, { stdio: ['pipe', 'pipe', 'inherit'] })
  const hex = [x, y].map((part) => Buffer.from(part ?? '', 'base64url').toString('hex'))
  child.stdin.end([...hex, Buffer.from(message).toString('hex'), ''].join('\n'))
  const [kid = '', payload = ''] = (await text(child.stdout)).split('\n')
  if (kid.startsWith('refused:')) return kid
  return { kid: Buffer.from(kid, 'hex').toString(), payload: Buffer.from(payload, 'hex') }
}
