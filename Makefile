# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Targets for common tasks. A target that builds with CMake first installs the packages that it needs.
JOBS ?= $(shell nproc)
# Most of the time of the tests is spent waiting.
TEST_JOBS ?= $(shell echo $$((5 * $(JOBS))))
BUILD := build/release
export PAGE ?= 127.0.0.1:9115
export FABRIC ?= fattree3:k=8
WEFT := $(BUILD)/bin/weft

.PHONY: help deps-build deps-python deps tools configure build python demo page test campaign simulate attack mutate mutate-random coverage sanitize asan tsan bench fuzz lint format install package release clean
help:
	@echo "make demo    install dependencies, build, bring up an emulated fabric and print the verdict"
	@echo "make page    serve the web page of an emulated fabric at http://127.0.0.1:9115/ until Ctrl-C (PAGE=ADDRESS:PORT, FABRIC=fattree3:k=8)"
	@echo "make test    build and run all tests but the campaign"
	@echo "make campaign   new seeds, measurements and large fabrics, one after the other (four hours); a failure need not be caused by the last change"
	@echo "make build   build $(WEFT)"
	@echo "make python  build the Python package weft in $(BUILD)/python: PYTHONPATH=$(BUILD)/python /usr/bin/python3 -c 'import weft'"
	@echo "make bench   run all benchmarks: Weft alone in units of the time to copy its tables, and compared with OpenSM (BENCH_ARGS=--quick for a short run)"
	@echo "make simulate SECONDS=600   simulate the subnet manager under faults with new seeds, on all cores"
	@echo "make attack SECONDS=60   attack the subnet manager from hosts of an emulated fabric, at random from new seeds, on all cores"
	@echo "make mutate  apply deliberate bugs, each of which a test must detect"
	@echo "make mutate-random SEED=1 COUNT=100 LAYER=verify   draw mechanical mutants (of all layers without LAYER) and list the mutants that no test detects"
	@echo "make fuzz SECONDS=60   run every reader and decoder on random and malformed input"
	@echo "make lint    check spelling, discouraged words and format, run clang-tidy and ESLint;  make format  reformat the sources"
	@echo "make coverage   measure the lines and branches that the tests execute;  make sanitize  run the tests under ASan, UBSan and TSan (make asan, make tsan)"
	@echo "make release VERSION=x   check the tree and tag it as that version"
	@echo "make install PREFIX=/usr/local   install;  make package  build .deb files and their bills of materials (SPDX) in $(BUILD)/packages"

deps-build:
	@scripts/install-deps --build
deps-python:
	@scripts/install-deps --python
deps:
	@scripts/install-deps
tools:
	@scripts/install-deps --with-tools

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | deps-build
	cmake --preset release

# Configures again after the installation: a build needs fewer packages than the tests, and comes first on most machines.
configure: deps
	cmake --preset release

build: deps-build $(BUILD)/build.ninja
	cmake --build --preset release --target weft web -j $(JOBS)

# Configures again: a build without the packages that the Python package needs may have come first.
python: deps-python
	cmake --preset release
	cmake --build --preset release --target python -j $(JOBS)

demo: build
	@examples/demo $(WEFT)

page: build
	@examples/page $(WEFT)

test: configure
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(TEST_JOBS)

campaign: configure
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -C campaign -L campaign

coverage: tools
	scripts/coverage

sanitize: asan tsan

asan tsan: deps
	cmake --workflow --preset check-$@

bench: configure
	cmake --build --preset release -j $(JOBS)
	bench/run.py --weft $(WEFT) $(BENCH_ARGS)

simulate: deps-build $(BUILD)/build.ninja
	cmake --build --preset release -j $(JOBS) --target simulation
	$(BUILD)/bin/simulation --seconds $(or $(SECONDS),600) $(SIMULATE_ARGS)

attack: deps-build $(BUILD)/build.ninja
	cmake --build --preset release -j $(JOBS) --target attack
	$(BUILD)/bin/attack --seconds $(or $(SECONDS),60) $(ATTACK_ARGS)

mutate: configure
	scripts/mutate

mutate-random: configure
	cmake --build --preset release -j $(JOBS)
	scripts/mutate-random --seed $(or $(SEED),1) --count $(or $(COUNT),100) --layer "$(LAYER)" --files "$(or $(FILES),*)" --jobs $(JOBS)

fuzz: tools
	scripts/fuzz $(or $(SECONDS),60)

lint: tools $(BUILD)/build.ninja
	scripts/lint

format: tools
	git ls-files '*.h' '*.cpp' | xargs clang-format -i

install: build
	cmake --build --preset release --target installed
	cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

package: configure
	cmake --build --preset release -j $(JOBS) --target installed
	cd $(BUILD) && umask 022 && cpack -G DEB

clean:
	rm -rf build

release:
	@scripts/release $(VERSION)
