from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from process_stage import Stage, is_ready, main, read_pod, ref_of, stage, terminated, waiting, waits_for

from konverge import ObjectMeta
from konverge.cluster.node.process import Catalogue
from konverge.cluster.pod_runtime import LogOptions, RuntimeRefusal
from konverge.models import core_v1
from konverge.testing import eventually

WEB = """
import http.server, os, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if not os.path.exists("sick") or self.path == "/" else 500)
        self.end_headers()
        self.wfile.write(os.environ["HOSTNAME"].encode())
    def log_message(self, *args): pass
http.server.ThreadingHTTPServer((sys.argv[1], 8080), Page).serve_forever()
"""
CATALOGUE = Catalogue({"sh": [], "example.com/web:*": [sys.executable, "-S", "-c", WEB, "{ip}"]})
FOREVER = "trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done"


@pytest.fixture
async def here(tmp_path: Path) -> AsyncIterator[Stage]:
    """A node of processes."""
    async with stage(tmp_path / "node", catalogue=CATALOGUE) as made:
        yield made


async def test_replicas_on_one_port(here: Stage) -> None:
    """Two servers on one port are ready, each on an address of its own, and answer there."""
    for name in ("one", "two"):
        await here.create(f"""
            name: {name}
            main:
              image: example.com/web:1
              readinessProbe: {{httpGet: {{port: 8080}}, periodSeconds: 1}}
        """)
    pods = [await here.ready("one"), await here.ready("two")]
    addresses = [pod.status.pod_ip or "" for pod in pods]
    assert len(set(addresses)) == 2
    assert all(ip_address(address) in ip_network("127.64.0.0/11") for address in addresses)
    for name, address in zip(("one", "two"), addresses, strict=True):
        reader, writer = await asyncio.open_connection(address, 8080)
        writer.write(b"GET / HTTP/1.0\r\n\r\n")
        assert (await reader.read()).endswith(name.encode())
        writer.close()
    assert await here.node.runtime.address(ref_of(pods[0])) == addresses[0]


async def test_environment_and_volumes(here: Stage) -> None:
    """Variables come from all their sources, and mount paths in them and in arguments lead to the files."""
    await here.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="conf"), data={"colour": "blue", "b": "2"}))
    await here.client.create(core_v1.Secret(metadata=ObjectMeta(name="pass"), data={"word": b"open"}))
    await here.create("""
        name: sources
        labels: {app: demo}
        restartPolicy: Never
        main:
          command: [sh, -c]
          args:
          - |
            echo $COLOUR $WORD $GREETING $NAME $MISSING. $CPU
            cat /etc/conf/colour $FILE /etc/info/labels /scratch/sub/new 2>&1
            ls -l /etc/word/ | grep -c rw-------
            echo made > /scratch/made; cat $SCRATCH/made; echo done: $(PLACE)
          envFrom: [{configMapRef: {name: conf}, prefix: X_}]
          env:
          - {name: COLOUR, valueFrom: {configMapKeyRef: {name: conf, key: colour}}}
          - {name: WORD, valueFrom: {secretKeyRef: {name: pass, key: word}}}
          - {name: GREETING, value: "hi-$(COLOUR)-$(X_b)-$$(b)"}
          - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
          - {name: MISSING, valueFrom: {secretKeyRef: {name: none, key: x, optional: true}}}
          - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
          - {name: FILE, value: /etc/word/secret/word}
          - {name: SCRATCH, value: /scratch}
          - {name: PLACE, value: here}
          resources: {limits: {cpu: 500m}}
          volumeMounts:
          - {name: conf, mountPath: /etc/conf}
          - {name: word, mountPath: /etc/word}
          - {name: info, mountPath: /etc/info}
          - {name: scratch, mountPath: /scratch}
        volumes:
        - {name: conf, configMap: {name: conf}}
        - name: word
          projected:
            defaultMode: 0600
            sources: [{secret: {name: pass, items: [{key: word, path: secret/word, mode: 0400}]}}]
        - {name: info, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
        - {name: scratch, emptyDir: {}}
    """)
    pod = await here.phase("sources", "Succeeded")
    log = await here.log("sources")
    assert "blue open hi-blue-2-$(b) sources . 500\n" in log
    assert 'blueopenapp="demo"' in log.replace("\n", "")
    assert log.endswith("made\ndone: here\n")
    ended = terminated(main(pod))
    assert (ended.reason, ended.exit_code) == ("Completed", 0)


async def test_a_claim(here: Stage) -> None:
    """What a pod writes to a claim is there for the next pod; one that nobody made is waited for."""
    for name, script in (("writer", "echo kept > /data/deep/file"), ("reader", "cat /data/deep/file")):
        await here.create(f"""
            name: {name}
            restartPolicy: Never
            main:
              command: [sh, -c, {script}]
              volumeMounts: [{{name: data, mountPath: /data/deep, subPath: deep}}]
            volumes: [{{name: data, persistentVolumeClaim: {{claimName: data}}}}]
        """)
        if name == "writer":
            assert any('persistentvolumeclaim "data" not found' in note for note in await here.events("FailedMount"))
            spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            claim = {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": "data"}, "spec": spec}
            await here.client.create(core_v1.PersistentVolumeClaim.from_dict(claim))
        await here.phase(name, "Succeeded")
    assert await here.log("reader") == "kept\n"


async def test_a_changed_config_map_changes_the_files(here: Stage) -> None:
    """A running container sees the new content, swapped in whole."""
    conf = await here.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="conf"), data={"a": "1", "b": "1"}))
    await here.create("""
        name: reader
        main:
          command: [sh, -c, 'while :; do (cd -P /conf/..data && cat a b && echo); sleep 0.05; done']
          volumeMounts: [{name: conf, mountPath: /conf}]
        volumes: [{name: conf, configMap: {name: conf}}]
    """)
    await here.said("reader", "11")
    conf.data = {"a": "2", "b": "2"}
    await here.client.update(conf)
    log = await here.said("reader", "22")
    assert main(await here.pod("reader")).restart_count == 0
    assert {line for line in log.split() if line.isdigit()} == {"11", "22"}


async def test_the_service_account(here: Stage) -> None:
    """A pod reaches the API server as its service account, by the kubeconfig that it is given."""
    program = "import asyncio, konverge\nasync def main():\n async with konverge.Client.connect() as c: print(await c.get_raw('/apis/authentication.k8s.io/v1'))\nasyncio.run(main())"  # noqa: E501 - one program
    await here.create(f"""
        name: caller
        restartPolicy: Never
        main:
          command: [{sys.executable}, -c, {program!r}]
          env: [{{name: PYTHONPATH, value: "{os.pathsep.join(sys.path)}"}}]
    """)
    pod = await here.until("caller", lambda pod: pod.status.phase in ("Succeeded", "Failed"))
    assert pod.status.phase == "Succeeded", await here.log("caller")
    assert "tokenreviews" in await here.log("caller")


async def test_init_containers_and_sidecars(here: Stage) -> None:
    """They run in order; a sidecar goes on beside the others and ends after them."""
    await here.create("""
        name: ordered
        restartPolicy: Never
        initContainers:
        - {name: first, command: [sh, -c, 'echo 1 >> /log/order'], volumeMounts: [{name: log, mountPath: /log}]}
        - name: side
          restartPolicy: Always
          command: [sh, -c]
          args: ['echo side >> /log/order; trap "echo end >> /log/order; exit 0" TERM; while :; do sleep 0.05; done']
          startupProbe: {exec: {command: [grep, side, /log/order]}, periodSeconds: 1}
          volumeMounts: [{name: log, mountPath: /log}]
        - {name: last, command: [sh, -c, 'echo 2 >> /log/order'], volumeMounts: [{name: log, mountPath: /log}]}
        containers:
        - {name: main, command: [sh, -c, 'echo main >> /log/order'], volumeMounts: [{name: log, mountPath: /log}]}
        volumes: [{name: log, emptyDir: {}}]
    """)
    pod = await here.phase("ordered", "Succeeded")
    folder = here.node.runtime.folder_of(ref_of(pod))
    assert (folder.volume("log") / "order").read_text().split() == ["1", "side", "2", "main", "end"]
    assert [terminated(each).exit_code for each in pod.status.init_container_statuses or ()] == [0, 0, 0]


async def test_an_init_container_that_fails(here: Stage) -> None:
    """Without restarts it fails the pod; the others never run."""
    await here.create("""
        name: failing
        restartPolicy: Never
        initContainers: [{name: first, command: [sh, -c, 'exit 7']}]
        main: echo never
    """)
    pod = await here.phase("failing", "Failed")
    assert [terminated(each).exit_code for each in pod.status.init_container_statuses or ()] == [7]
    assert not main(pod).container_id


async def test_a_crash_loop(here: Stage) -> None:
    """A container that ends is started at once, then after a pause that the status tells; the terminal hears of it."""
    await here.create("{name: crashing, main: 'echo try; exit 3'}")
    pod = await here.until(
        "crashing", lambda pod: main(pod).restart_count == 1 and waiting(pod).reason == "CrashLoopBackOff"
    )
    assert (waiting(pod).message or "").startswith("back-off 10s restarting failed container=main pod=crashing_")
    last = terminated(main(pod), last=True)
    assert (last.exit_code, last.reason) == (3, "Error")
    assert pod.status.phase == "Running"
    assert await here.log("crashing", previous=True) == "try\n"
    assert await here.events("BackOff")
    assert any("ends again and again, with exit code 3" in each for each in here.problems)


async def test_restart_policies(here: Stage) -> None:
    """On failure a container runs again until it ends well; never is never."""
    await here.create("""
        name: once
        restartPolicy: OnFailure
        main:
          command: [sh, -c, 'test -e /flag/there && exit 0; touch /flag/there; exit 1']
          volumeMounts: [{name: flag, mountPath: /flag}]
        volumes: [{name: flag, emptyDir: {}}]
    """)
    await here.create("{name: never, restartPolicy: Never, main: exit 5}")
    assert main(await here.phase("once", "Succeeded")).restart_count == 1
    failed = main(await here.phase("never", "Failed"))
    assert failed.restart_count == 0


async def test_probes(here: Stage) -> None:
    """A pod is ready only while its probe says so, and a container that fails its liveness probe is started again."""
    await here.create("""
        name: probed
        terminationGracePeriodSeconds: 1
        main:
          image: example.com/web:2
          startupProbe: {tcpSocket: {port: http}, periodSeconds: 1, timeoutSeconds: 30, failureThreshold: 100}
          readinessProbe:
            {exec: {command: [test, "!", -e, busy]}, periodSeconds: 1, timeoutSeconds: 30, failureThreshold: 1}
          livenessProbe: {httpGet: {port: http, path: /live}, periodSeconds: 1, timeoutSeconds: 30, failureThreshold: 1}
          ports: [{name: http, containerPort: 8080}]
    """)
    pod = await here.ready("probed")
    work = here.node.runtime.folder_of(ref_of(pod)).work("main")
    (work / "busy").touch()
    pod = await here.until("probed", lambda pod: not is_ready(pod))
    assert main(pod).restart_count == 0
    (work / "busy").unlink()
    await here.ready("probed")
    (work / "sick").touch()
    await here.until("probed", lambda pod: main(pod).restart_count >= 1)
    assert any("statuscode: 500" in note for note in await here.events("Unhealthy"))
    assert any("failed liveness probe" in note for note in await here.events("Killing"))


async def test_hooks_and_grace(here: Stage) -> None:
    """A pod is ready after its postStart hook, preStop comes before SIGTERM, and who is deaf is killed in time."""
    await here.create(f"""
        name: polite
        main:
          command: [sh, -c, {FOREVER!r}]
          lifecycle:
            postStart: {{exec: {{command: [sh, -c, 'echo begun > /log/post']}}}}
            preStop: {{exec: {{command: [sh, -c, 'echo stopping > /log/pre']}}}}
          volumeMounts: [{{name: log, mountPath: /log}}]
        volumes: [{{name: log, hostPath: {{path: {here.node.folder}/kept, type: DirectoryOrCreate}}}}]
    """)
    await here.create("""
        name: deaf
        terminationGracePeriodSeconds: 1
        main: "trap '' TERM; sleep 300 & echo started; while :; do sleep 300; done"
    """)
    await here.ready("polite")
    await here.said("deaf", "started")
    kept = here.node.folder / "kept"
    assert (kept / "post").read_text() == "begun\n"
    follow = asyncio.create_task(here.log("polite", follow=True))
    for name in ("polite", "deaf"):
        await here.client.delete(core_v1.Pod, name)
    await here.gone("polite")
    await here.gone("deaf")
    assert (kept / "pre").read_text() == "stopping\n"
    assert "bye" in await follow


async def test_what_cannot_be_started(here: Stage) -> None:
    """An unknown image, a missing ConfigMap, a missing command: each has its reason, and is mended by its remedy."""
    await here.create("{name: image, main: {image: example.com/nobody:1}}")
    await here.create("{name: config, main: {command: [sleep, '300'], envFrom: [{configMapRef: {name: late}}]}}")
    await here.create("""
        name: volume
        main: {command: [sleep, '300'], volumeMounts: [{name: late, mountPath: /late}]}
        volumes: [{name: late, configMap: {name: late}}]
    """)
    await here.create("{name: command, restartPolicy: Never, main: {command: [no-such-program]}}")
    image = await here.until("image", waits_for("ErrImageNeverPull"))
    assert 'image "example.com/nobody:1" is not in the catalogue: add it there' in str(main(image).state)
    config = await here.until("config", waits_for("CreateContainerConfigError"))
    assert 'configmap "late" not found' in str(main(config).state)
    assert any('configmap "late" not found' in note for note in await here.events("FailedMount"))
    command = await here.phase("command", "Failed")
    assert "cannot be run here: No such file or directory" in str(main(command).state)
    assert any("example.com/nobody:1" in each for each in here.problems)
    await here.client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="late"), data={"a": "1"}))
    await here.ready("config")
    await here.ready("volume")


async def test_an_image_that_changes(here: Stage) -> None:
    """A container whose image is changed in place is started again with the new one."""
    await here.create("{name: changing, terminationGracePeriodSeconds: 1, main: {image: example.com/web:1}}")
    pod = await here.ready("changing")
    pod.spec.containers[0].image = "example.com/web:2"
    await here.client.update(pod)
    pod = await here.until("changing", lambda pod: main(pod).restart_count == 1 and is_ready(pod))
    assert main(pod).image == "example.com/web:2"
    assert any("definition changed" in note for note in await here.events("Killing"))


async def test_a_catalogue_that_changes(tmp_path: Path) -> None:
    """A pod that waits for an image runs once the file has it; nonsense there is told and changes nothing."""
    path = tmp_path / "images.yaml"
    path.write_text("images: {}")
    async with stage(tmp_path / "node", catalogue=Catalogue.load(path)) as here:
        await here.create("{name: waiting, main: {image: late:1}}")
        await here.until("waiting", waits_for("ErrImageNeverPull"))
        path.write_text("images: {late:1: 5}")

        async def told() -> bool:
            return any("late:1" in each and "stays in use" in each for each in here.problems)

        await eventually(told)
        path.write_text("images: {'late:1': [sleep, '300']}")
        await here.ready("waiting")


async def test_two_servers_on_every_address(here: Stage) -> None:
    """The second one that binds every address fails, and its status says who has the port and what to do."""
    server = "import socket, time; s = socket.socket(); s.bind(('0.0.0.0', 18473)); s.listen(); print('up', flush=True); time.sleep(300)"  # noqa: E501 - one program
    for name in ("first", "second"):
        await here.create(f"""
            name: {name}
            restartPolicy: Never
            main: {{command: [{sys.executable}, -S, -c, "{server}"], ports: [{{containerPort: 18473}}]}}
        """)
        if name == "first":
            await here.said("first", "up")
    pod = await here.phase("second", "Failed")
    message = str(main(pod).state)
    assert "port 18473 is in use: container main of pod default/first listens on it at every address" in message
    assert "POD_IP" in message
    assert any("port 18473 is in use" in each for each in here.problems)


async def test_commands_beside(here: Stage) -> None:
    """A command runs in the container's environment and place, with input, exit code and mapped paths."""
    await here.create("""
        name: host
        main:
          command: [sleep, '300']
          env: [{name: COLOUR, value: red}]
          volumeMounts: [{name: scratch, mountPath: /scratch}]
        volumes: [{name: scratch, emptyDir: {}}]
    """)
    ref = ref_of(await here.ready("host"))
    execution = await here.node.runtime.execute(ref, "main", ["sh", "-c", "cat > /scratch/in; echo $COLOUR; exit 3"])
    await execution.write(b"hello")
    execution.close_input()
    assert [piece async for piece in execution.output()] == [(1, b"red\n")]
    assert await execution.wait() == 3
    tail = await here.node.runtime.execute(ref, "main", ["cat", "/scratch/in"])
    assert [piece async for piece in tail.output()] == [(1, b"hello")]
    with pytest.raises(RuntimeRefusal, match="no-such-program"):
        await here.node.runtime.execute(ref, "main", ["no-such-program"])
    with pytest.raises(RuntimeRefusal, match="container other is not valid for pod host"):
        await here.node.runtime.execute(ref, "other", ["true"])


async def test_a_terminal(here: Stage) -> None:
    """A command at a terminal sees one of the size that was told, and is ended by its user's leaving."""
    await here.create("{name: host, main: sleep 300}")
    ref = ref_of(await here.ready("host"))
    execution = await here.node.runtime.execute(ref, "main", ["sh"], tty=True)
    execution.resize(columns=99, rows=33)
    await execution.write(b"stty size; exit 4\n")
    said = b"".join([data async for _, data in execution.output()])
    assert b"33 99" in said
    assert b"job control" not in said
    assert await execution.wait() == 4
    left = await here.node.runtime.execute(ref, "main", ["sh"], tty=True)
    await left.close()
    assert await left.wait() == 128 + 9


async def test_logs(here: Stage) -> None:
    """A log is cut as asked for, and followed to the container's end."""
    await here.create("{name: talker, restartPolicy: Never, main: 'echo a; echo b >&2; sleep 0.2; echo c; printf d'}")
    follow = asyncio.create_task(here.said("talker", "a"))
    await follow
    assert await here.log("talker", follow=True) == "a\nb\nc\nd"
    await here.phase("talker", "Succeeded")
    assert await here.log("talker", tail=2) == "c\nd"
    assert await here.log("talker", stream="Stderr") == "b\n"
    assert await here.log("talker", limit_bytes=3) == "a\nb"
    assert (await here.log("talker", timestamps=True)).split(" ")[0].endswith("Z")
    with pytest.raises(RuntimeRefusal, match='previous terminated container "main" in pod "talker" not found'):
        await here.log("talker", previous=True)


async def test_one_that_talks_without_end(here: Stage) -> None:
    """Its log is limited, a command's output waits for its reader, and everybody else is served meanwhile."""
    await here.create("{name: talker, terminationGracePeriodSeconds: 1, main: 'exec yes'}")
    ref = ref_of(await here.ready("talker"))
    await here.said("talker", "y")
    execution = await here.node.runtime.execute(ref, "main", ["sh", "-c", "yes | head -c 20000000"])
    await here.create("{name: other, main: sleep 300}")
    await here.ready("other")
    size = 0
    async for _, data in execution.output():
        size += len(data)
    assert (size, await execution.wait()) == (20_000_000, 0)
    unread = await here.node.runtime.execute(ref, "main", ["yes"])
    await unread.close()
    assert await unread.wait() == 128 + 9
    log = here.node.runtime.folder_of(ref).container("main")
    assert sum(path.stat().st_size for path in log.glob("*.log*")) < 60 * 1024 * 1024


async def test_an_attachment(here: Stage) -> None:
    """Who attaches hears a container from then on, until it ends."""
    await here.create("{name: talker, restartPolicy: Never, main: 'sleep 0.5; echo late; exit 2'}")
    ref = ref_of(await here.ready("talker"))
    attached = await here.node.runtime.attach(ref, "main")
    assert [piece async for piece in attached.output()] == [(1, b"late\n")]
    assert await attached.wait() == 2


async def test_a_deadline(here: Stage) -> None:
    """A pod that may run for a second only is ended then, and says so."""
    await here.create("{name: late, activeDeadlineSeconds: 1, terminationGracePeriodSeconds: 1, main: sleep 300}")
    pod = await here.phase("late", "Failed")
    assert pod.status.reason == "DeadlineExceeded"


async def test_a_name_used_again(here: Stage) -> None:
    """A pod that is deleted at once and made anew is another one; nothing of the first goes on."""
    await here.create("{name: again, main: sleep 300}")
    first = await here.ready("again")
    await here.client.delete(core_v1.Pod, "again", grace_seconds=0)
    await here.client.create(read_pod("{name: again, main: sleep 300}"))
    second = await here.ready("again")
    assert first.metadata.uid != second.metadata.uid
    with pytest.raises(RuntimeRefusal):
        [piece async for piece in here.node.runtime.logs(ref_of(first), "main", LogOptions())]
